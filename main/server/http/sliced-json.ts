// Large answers as JSON: made in short slices, and sent piece by piece, so that no other request waits for a book's
// sentences.

import { runInSlices } from "../../processes/time-slices.ts";
import { jsonResponse } from "./sized-response.ts";

/** Lists of more elements are made in slices. */
const maxAtOnce = 200;
/** So are longer texts, in UTF-16 units. */
const maxText = 2 ** 16;

const isLong = (field: unknown): boolean =>
  (Array.isArray(field) && field.length > maxAtOnce) ||
  (typeof field === "string" && field.length > maxText);

/** The same answer as `jsonResponse`. */
export async function slicedJsonResponse(
  value: object,
  headers: Record<string, string>,
): Promise<Response> {
  if (!Object.values(value).some(isLong)) return jsonResponse(value, headers);
  const pieces: Uint8Array[] = [];
  await runInSlices(addPieces(value, pieces));
  const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return new Response(streamOf(pieces), {
    headers: {
      "content-type": "application/json",
      "content-length": String(sizeBytes),
      ...headers,
    },
  });
}

function* addPieces(value: object, into: Uint8Array[]): Generator<undefined, void> {
  const add = (json: string): void => void into.push(Buffer.from(json));
  let separator = "{";
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    add(`${separator}${JSON.stringify(name)}:`);
    separator = ",";
    if (!isLong(field)) add(JSON.stringify(field));
    else if (typeof field === "string") {
      // Half of a surrogate pair is written as an escape: two of them are the pair again.
      yield* addParts(field, maxText, '""', add);
    } else yield* addParts(field as unknown[], maxAtOnce, "[]", add);
    yield;
  }
  add(separator === "{" ? "{}" : "}");
}

function* addParts(
  field: string | readonly unknown[],
  size: number,
  brackets: string,
  add: (json: string) => void,
): Generator<undefined, void> {
  const [open, close] = [brackets.slice(0, 1), brackets.slice(1)];
  for (let at = 0; at < field.length; at += size) {
    const part = JSON.stringify(field.slice(at, at + size)).slice(1, -1);
    add(at === 0 ? `${open}${part}` : typeof field === "string" ? part : `,${part}`);
    yield;
  }
  add(close);
}

function streamOf(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[at];
        at += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

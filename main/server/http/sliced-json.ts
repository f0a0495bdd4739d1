// Serializes large JSON responses in short slices and sends them in chunks, so that a book's sentences do not block
// other requests.

import { runInSlices } from "../../processes/time-slices.ts";
import { jsonResponse } from "./sized-response.ts";

/** Longer arrays are serialized in slices. */
const maxArrayLength = 200;
/** Longer texts too, in UTF-16 units. */
const maxTextUnits = 2 ** 16;

const isLong = (field: unknown): boolean =>
  (Array.isArray(field) && field.length > maxArrayLength) ||
  (typeof field === "string" && field.length > maxTextUnits);

/** The same response as `jsonResponse`. */
export async function slicedJsonResponse(
  value: object,
  headers: Record<string, string>,
): Promise<Response> {
  if (!Object.values(value).some(isLong)) return jsonResponse(value, headers);
  const chunks: Uint8Array[] = [];
  await runInSlices(generateChunks(value, chunks));
  const sizeBytes = chunks.reduce((sum, { length }) => sum + length, 0);
  return new Response(createStream(chunks), {
    headers: {
      "content-type": "application/json",
      "content-length": String(sizeBytes),
      ...headers,
    },
  });
}

function* generateChunks(value: object, output: Uint8Array[]): Generator<undefined, void> {
  const append = (json: string): void => void output.push(Buffer.from(json));
  let separator = "{";
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    append(`${separator}${JSON.stringify(name)}:`);
    separator = ",";
    if (!isLong(field)) append(JSON.stringify(field));
    else if (typeof field === "string") {
      // A split surrogate pair is written as two escapes, which parse as the pair again.
      yield* generateFieldChunks(field, maxTextUnits, '""', append);
    } else yield* generateFieldChunks(field as unknown[], maxArrayLength, "[]", append);
    yield;
  }
  append(separator === "{" ? "{}" : "}");
}

function* generateFieldChunks(
  field: string | readonly unknown[],
  size: number,
  brackets: string,
  append: (json: string) => void,
): Generator<undefined, void> {
  const [open, close] = [brackets.slice(0, 1), brackets.slice(1)];
  for (let offset = 0; offset < field.length; offset += size) {
    const part = JSON.stringify(field.slice(offset, offset + size)).slice(1, -1);
    append(offset === 0 ? `${open}${part}` : typeof field === "string" ? part : `,${part}`);
    yield;
  }
  append(close);
}

function createStream(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  let index = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[index];
        index += 1;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

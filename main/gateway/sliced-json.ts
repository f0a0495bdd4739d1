// Large answers as JSON: made in short slices, so that no other request waits for a book's sentences.

import { runInSlices } from '../time-slices.ts';
import { jsonResponse } from './sized-response.ts';

/** Lists of more elements are made in slices. */
const maxAtOnce = 200;

/** The same answer as `jsonResponse`. */
export async function slicedJsonResponse(value: object, headers: Record<string, string>): Promise<Response> {
  if (!Object.values(value).some((field) => Array.isArray(field) && field.length > maxAtOnce)) return jsonResponse(value, headers);
  const pieces: Buffer[] = [];
  await runInSlices(addPieces(value, pieces));
  const body = Buffer.concat(pieces);
  return new Response(body, { headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers } });
}

function* addPieces(value: object, into: Buffer[]): Generator<undefined, void> {
  const add = (json: string): void => void into.push(Buffer.from(json));
  let separator = '{';
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    add(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    if (!Array.isArray(field) || field.length <= maxAtOnce) add(JSON.stringify(field));
    else {
      for (let at = 0; at < field.length; at += maxAtOnce) {
        add(`${at === 0 ? '[' : ','}${JSON.stringify(field.slice(at, at + maxAtOnce)).slice(1, -1)}`);
        yield;
      }
      add(']');
    }
    yield;
  }
  add(separator === '{' ? '{}' : '}');
}

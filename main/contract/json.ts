// Parses untrusted JSON within limits.

import { AppError } from "./errors.ts";

/** Deeper than any legitimate request. Code that walks a value recurses once per level and would overflow the stack. */
const maxDepth = 64;
const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Array.from(
  '"\\[]{}',
  (character) => character.charCodeAt(0),
);

/** Linear in the size. Does not validate; the parser rejects malformed JSON. */
export function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) index = endOfString(json, index);
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** @param start index of the opening quote @returns index of the closing quote */
function endOfString(json: Uint8Array, start: number): number {
  for (
    let index = json.indexOf(quote as number, start + 1);
    index >= 0;
    index = json.indexOf(quote as number, index + 1)
  ) {
    let backslashes = 0;
    while (json[index - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return json.length;
}

/** @throws AppError if the JSON is nested too deep; the result of `createMalformedError` if it is no JSON */
export function parseJson(bytes: Uint8Array, createMalformedError: () => AppError): unknown {
  if (isNestedTooDeep(bytes)) throw new AppError("request.jsonTooDeep");
  try {
    return JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  } catch {
    throw createMalformedError();
  }
}

/** Parses a request body. @throws AppError if it is no JSON object */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parseJson(bytes, () => new AppError("request.notJson"));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("request.notObject");
  }
  return value as Record<string, unknown>;
}

// JSON from outside, parsed within limits.

import { AppError } from "./errors.ts";

/** Deeper than anything that is sent for a reason. Code that walks through a value recurses once a level and would run out of stack. */
const maxDepth = 64;
const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Array.from(
  '"\\[]{}',
  (character) => character.charCodeAt(0),
);

/** Linear in the size; what is no JSON is left to the parser. */
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

/** @param start place of the quote that opens it @returns place of the one that closes it */
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

/** @throws AppError where the JSON is nested too deep; what `malformed` returns where it is none */
export function parseJson(bytes: Uint8Array, malformed: () => AppError): unknown {
  if (isNestedTooDeep(bytes)) throw new AppError("invalid_request", "The JSON is nested too deep.");
  try {
    return JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  } catch {
    throw malformed();
  }
}

/** A request body. @throws AppError where it is no JSON object */
export function jsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parseJson(
    bytes,
    () => new AppError("invalid_request", "Could not parse the request body: it must be JSON."),
  );
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid_request", "The request body must be a JSON object.");
  }
  return value as Record<string, unknown>;
}

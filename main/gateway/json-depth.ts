// Whether JSON is nested deeper than anything that is sent for a reason. Asked before it is parsed: what walks through
// a value later, to check it or to send it on, calls itself once a level and would run out of stack.

const maxDepth = 64;
const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Array.from('"\\[]{}', (character) => character.charCodeAt(0));

/** Linear in the size; what is no JSON is left to the parser. */
export function isNestedTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** @param start place of the quote that opens it @returns place of the one that closes it */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = json.indexOf(quote as number, start + 1); at >= 0; at = json.indexOf(quote as number, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}

// Reads text from a file or standard input: UTF-8, or UTF-16 with a byte order mark. Rejects binary input.

import { commandError } from "./command.ts";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { fileError } from "./system-error.ts";

/** @throws AppError naming the file if it cannot be read or is no text */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  return decodeText(bytes, path);
}

/** All of standard input. @throws AppError if it is no text */
export const readStdin = async (): Promise<string> =>
  decodeText(await buffer(process.stdin), "standard input");

function decodeText(bytes: Uint8Array, name: string): string {
  const text = tryDecode(detectEncoding(bytes), bytes);
  if (text === undefined || text.includes("\0"))
    throw commandError(`${name} holds no text: save it as UTF-8.`);
  return text;
}

/** By the byte order mark, which the decoder removes. */
function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function tryDecode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

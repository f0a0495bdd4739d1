// The sha256 of a file on this machine.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Hexadecimal. @param onRead called with the size of each part @throws the signal's reason */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  onRead: (bytes: number) => void = () => {},
): Promise<string> {
  const hash = createHash("sha256");
  const stream = createReadStream(path, { highWaterMark: 2 ** 20 });
  for await (const bytes of stream as AsyncIterable<Uint8Array>) {
    signal?.throwIfAborted();
    hash.update(bytes);
    onRead(bytes.length);
  }
  return hash.digest("hex");
}

// The sha256 of a file on this machine.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** Hexadecimal. @param onRead called with the size of each part @throws the signal's reason */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  onRead: (bytes: number) => void = () => {},
): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    // One buffer for all parts: those of a stream would be as much garbage as the file is large.
    const buffer = new Uint8Array(2 ** 20);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
      onRead(bytesRead);
    }
  } finally {
    await file.close();
  }
}

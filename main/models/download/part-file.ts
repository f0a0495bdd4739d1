// A file as far as it has arrived, with its checksums so far. It survives the end of the process: when it is opened
// again, what is there is hashed again.

import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { openForWriting } from "../../storage/disk.ts";

/** Hexadecimal. */
export type FileDigests = {
  readonly sha256: string;
  /** Id of the content in a git repository, by which the hub names small files. */
  readonly gitBlob?: string;
};

export type PartFile = {
  sizeBytes(): number;
  append(bytes: Uint8Array): Promise<void>;
  /** Discards all bytes. */
  restart(): Promise<void>;
  /** Of the bytes so far. */
  digests(): FileDigests;
  /** Writes everything to the disk itself. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** A part that is larger than the complete file is discarded. */
export async function openPartFile(
  path: string,
  { expectedBytes, hasGitBlob }: { expectedBytes: number; hasGitBlob: boolean },
  signal: AbortSignal,
): Promise<PartFile> {
  let sha256: Hash;
  let gitBlob: Hash | undefined;
  let sizeBytes = 0;
  const update = (bytes: Uint8Array): void => {
    sha256.update(bytes);
    gitBlob?.update(bytes);
    sizeBytes += bytes.length;
  };
  const reset = (): void => {
    sha256 = createHash("sha256");
    // Git hashes the size before the content.
    if (hasGitBlob) gitBlob = createHash("sha1").update(`blob ${expectedBytes}\0`);
    sizeBytes = 0;
  };

  reset();
  const presentBytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  const isKept = presentBytes > 0 && presentBytes <= expectedBytes;
  if (isKept) {
    const stream = createReadStream(path, { signal, highWaterMark: 2 ** 20 });
    for await (const bytes of stream as AsyncIterable<Uint8Array>) update(bytes);
  }
  // Appending, so that it goes on at the start after it was emptied.
  const file = await openForWriting(path, "a", 0o600);
  if (!isKept) await file.truncate(0);

  return {
    sizeBytes: () => sizeBytes,
    async append(bytes) {
      await file.appendFile(bytes);
      update(bytes);
    },
    async restart() {
      await file.truncate(0);
      reset();
    },
    digests() {
      const digest = gitBlob?.copy().digest("hex");
      return {
        sha256: sha256.copy().digest("hex"),
        ...(digest === undefined ? {} : { gitBlob: digest }),
      };
    },
    flush: () => file.sync(),
    close: () => file.close(),
  };
}

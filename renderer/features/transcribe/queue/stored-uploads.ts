// Names of files that have not been uploaded yet, stored for the page after a reload; the files themselves are lost
// with the old page. Copying them to the browser's storage would take as long as the upload, need twice the space, and
// be interrupted by the same reload.

import type { SentMessage } from "../../../../main/contract/messages/messages.ts";
import type { TranscribeOptions } from "../../../../main/contract/transcript-document.ts";

export type StoredUpload = {
  readonly file: Pick<File, "name" | "size">;
  readonly options: TranscribeOptions;
  /** Why it failed. */
  readonly failure?: SentMessage | undefined;
};
export type StoredUploadsDeps = {
  storage: Storage;
  locks: LockManager;
  /** Gets the list of a page that is gone. */
  onFound: (uploads: readonly StoredUpload[]) => void;
};

const prefix = "hearsay uploads ";
/** A reloaded page may hold its lock for a moment longer. */
const lockTimeoutMs = 1000;

/**
 * Each page has a list of its own and holds a Web Lock of that name while it is open.
 * @returns function that replaces this page's list
 */
export function openStoredUploads({
  storage,
  locks,
  onFound,
}: StoredUploadsDeps): (uploads: readonly StoredUpload[]) => void {
  const ownKey = prefix + crypto.randomUUID();
  void locks.request(ownKey, () => new Promise(() => {}));
  for (const key of Object.keys(storage)) {
    if (!key.startsWith(prefix)) continue;
    const claimUploads = (): void => {
      // Null if another page has claimed it already.
      onFound(JSON.parse(storage.getItem(key) ?? "[]") as StoredUpload[]);
      storage.removeItem(key);
    };
    // Timeout: the page of this list is still open.
    locks
      .request(key, { signal: AbortSignal.timeout(lockTimeoutMs) }, claimUploads)
      .catch(() => undefined);
  }
  let lastStored: readonly StoredUpload[] = [];
  return (uploads) => {
    // Progress changes many times a second and is not stored.
    if (
      uploads.length === lastStored.length &&
      uploads.every(
        ({ file, failure }, index) =>
          file === lastStored[index]?.file && failure === lastStored[index]?.failure,
      )
    )
      return;
    lastStored = uploads;
    try {
      storage.setItem(
        ownKey,
        JSON.stringify(
          uploads.map(({ file: { name, size }, options, failure }) => ({
            file: { name, size },
            options,
            failure,
          })),
        ),
      );
    } catch {
      // The browser's storage is full. The upload goes on regardless.
    }
  };
}

// What has not reached the app yet, by name: for the page that is loaded next, as files themselves go with the page they
// were dropped on. A copy of them in the browser's store would take as long as sending them, twice the room, and be cut
// off by the same reload; a name is written at once.

import type { TranscribeOptions } from "../../../../main/contract/studio.ts";

export type StoredUpload = {
  readonly file: Pick<File, "name" | "size">;
  readonly options: TranscribeOptions;
};
export type StoredUploadsDeps = {
  storage: Storage;
  locks: LockManager;
  /** Hears what a page left that is gone. */ onFound: (uploads: readonly StoredUpload[]) => void;
};

const prefix = "hearsay uploads ";
/** A page that is loaded anew may still be letting go. */
const lockTimeoutMs = 1000;

/** Every page keeps a list of its own, and holds a lock of that name as long as it is there. @returns what replaces the list */
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
      // Nothing: another page was first.
      onFound(JSON.parse(storage.getItem(key) ?? "[]") as StoredUpload[]);
      storage.removeItem(key);
    };
    // Not to be had: its page is still there.
    locks
      .request(key, { signal: AbortSignal.timeout(lockTimeoutMs) }, claimUploads)
      .catch(() => undefined);
  }
  let lastStored: readonly StoredUpload[] = [];
  return (uploads) => {
    // How far one is changes many times a second, and is not kept.
    if (
      uploads.length === lastStored.length &&
      uploads.every(({ file }, index) => file === lastStored[index]?.file)
    )
      return;
    lastStored = uploads;
    try {
      storage.setItem(
        ownKey,
        JSON.stringify(
          uploads.map(({ file: { name, size }, options }) => ({ file: { name, size }, options })),
        ),
      );
    } catch {
      // The browser's store is full. They are sent all the same.
    }
  };
}

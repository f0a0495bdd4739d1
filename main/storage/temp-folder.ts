// Temporary folder of one process, for uploads and samples. Deleted at exit; folders of killed processes are deleted at
// the next start.

import { join } from "node:path";
import { toStorageError } from "../contract/errors.ts";
import { createOwnedFolder, type OwnedFolder, sweepOwnedFolders } from "./owned-folder.ts";
import { mkdirSync } from "./disk.ts";

export type TempFolder = {
  /**
   * The folder. Created if the disk rejected it at the start or someone deleted it, so call this before each use.
   * @throws the system's error
   */
  path(): string;
  remove(): void;
};

/** `<random>`, or `<process id>-<random>` in older versions. */
const tempFolderName = /^(?:[0-9a-f]{16}|\d+-\w+)$/;

/** In the data folder: long recordings need its disk space, and the system's temporary disk may be small. */
export function createTempFolder(dataDir: string): TempFolder {
  const parent = join(dataDir, "tmp");
  let folder: OwnedFolder | undefined;

  function sweepAndCreate(): OwnedFolder {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    sweepOwnedFolders(parent, (name) => tempFolderName.test(name));
    return createOwnedFolder(parent);
  }

  try {
    folder = sweepAndCreate();
  } catch (error) {
    // The app also starts with a full disk.
    if (toStorageError(error) === undefined) throw error;
  }
  return {
    path() {
      const { path } = (folder ??= sweepAndCreate());
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    },
    remove: () => folder?.remove(),
  };
}

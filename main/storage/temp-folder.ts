// The folder for what running jobs need: uploads and samples. One per process, removed when it ends; what a killed
// process left behind is swept by the next one.

import { join } from "node:path";
import { toStorageError } from "../contract/errors.ts";
import { createOwnedFolder, type OwnedFolder, sweepOwnedFolders } from "./owned-folder.ts";
import { mkdirSync } from "./disk.ts";

export type TempFolder = {
  /**
   * The folder, made where the disk did not take it yet or somebody removed it meanwhile: to be asked for each time
   * something is put into it.
   * @throws the system's error
   */
  path(): string;
  remove(): void;
};

/** `<random>`, and `<process id>-<random>` of older versions. */
const tempFolderName = /^(?:[0-9a-f]{16}|\d+-\w+)$/;

/** Lies in the data folder: long recordings need its disk, not the system's small one. */
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
    // A full disk is no reason not to start.
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

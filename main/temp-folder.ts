// The folder for what running jobs need: uploads and samples. One per process, removed when it ends; what a killed
// process left behind is swept by the next one.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnedFolder, sweepOwnedFolders } from './owned-folder.ts';

export type TempFolder = {
  /** The folder, made again where somebody removed it meanwhile: to be asked for each time something is put into it. */
  path(): string;
  remove(): void;
};

/** `<random>`, and `<process id>-<random>` of older versions. */
const ownName = /^(?:[0-9a-f]{16}|\d+-\w+)$/;

/** Lies in the data folder: long recordings need its disk, not the system's small one. */
export function createTempFolder(dataDir: string): TempFolder {
  const parent = join(dataDir, 'tmp');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  sweepOwnedFolders(parent, (name) => ownName.test(name));
  const { path, remove } = createOwnedFolder(parent);
  return {
    path() {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    },
    remove,
  };
}

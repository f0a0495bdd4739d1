// Entry of the child process that backs up the library: reading and writing all of it would block the app's process.

import { constants, setPriority } from "node:os";
import { serveTask } from "../../processes/serve-task.ts";
import { writeBackup } from "./backup-files.ts";
import { isDamage } from "../../storage/damage-detection.ts";

export type BackupTask = { libraryPath: string; toPath: string };
export type BackupResult = { isDamaged: boolean };

serveTask<BackupTask>(({ libraryPath, toPath }): BackupResult => {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it; a lower priority is optional.
  }
  try {
    writeBackup(libraryPath, toPath);
    return { isDamaged: false };
  } catch (error) {
    if (isDamage(error)) return { isDamaged: true };
    throw error;
  }
});

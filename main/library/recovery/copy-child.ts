// Entry of the child process that backs up the library, or removes a person from its copies: reading and writing all of
// them would block the app's process.

import { constants, setPriority } from "node:os";
import { serveTask } from "../../processes/serve-task.ts";
import { writeBackup } from "./backup-files.ts";
import { forgetInCopies, type ForgottenPerson } from "./forget-person.ts";
import { isDamage } from "../../storage/damage-detection.ts";

export type BackupTask = { libraryPath: string; toPath: string };
export type BackupResult = { isDamaged: boolean };
export type ForgetTask = { dataDir: string; person: ForgottenPerson };

serveTask<BackupTask | ForgetTask>((task): BackupResult => {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it; a lower priority is optional.
  }
  try {
    if ("person" in task) forgetInCopies(task.dataDir, task.person);
    else writeBackup(task.libraryPath, task.toPath);
    return { isDamaged: false };
  } catch (error) {
    if (isDamage(error)) return { isDamaged: true };
    throw error;
  }
});

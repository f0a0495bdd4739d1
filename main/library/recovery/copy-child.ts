// The child process that copies the library: reading and writing all of it would hold up the app's own process.

import { constants, setPriority } from "node:os";
import { serveTask } from "../../processes/serve-task.ts";
import { copyLibrary } from "./copies.ts";
import { isDamage } from "../../storage/watch-damage.ts";

export type CopyTask = { libraryPath: string; toPath: string };
export type CopyOutcome = { isDamaged: boolean };

serveTask<CopyTask>(({ libraryPath, toPath }): CopyOutcome => {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it; a lower priority is optional.
  }
  try {
    copyLibrary(libraryPath, toPath);
    return { isDamaged: false };
  } catch (error) {
    if (isDamage(error)) return { isDamaged: true };
    throw error;
  }
});

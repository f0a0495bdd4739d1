// The child process that copies the library: reading and writing all of it would hold up the app's own process.

import { constants, setPriority } from 'node:os';
import { serveTask } from '../children/serve-task.ts';
import { copyLibrary } from './copies.ts';
import { isDamage } from './watch-damage.ts';

export type CopyTask = { libraryPath: string; toPath: string };
/** `isMade`: false also where an empty library would take the place of its copies. */
export type CopyOutcome = { isDamaged: boolean; isMade: boolean };

serveTask<CopyTask>(({ libraryPath, toPath }): CopyOutcome => {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it; a lower priority is optional.
  }
  try {
    return { isDamaged: false, isMade: copyLibrary(libraryPath, toPath) };
  } catch (error) {
    if (isDamage(error)) return { isDamaged: true, isMade: false };
    throw error;
  }
});

// Entry of the child process that prepares a library which could not be opened at the start. Check, restore and waiting
// for locks would block the app, which serves requests meanwhile.

import { serveTask } from "../../processes/serve-task.ts";
import { openAsOwner, type OpeningOptions, type OpeningState } from "./open-as-owner.ts";
import type { RestoreLog } from "./restore-library.ts";

export type OpeningTask = Pick<OpeningOptions, "dataDir" | "path" | "atMs" | "state">;
export type OpeningProgress =
  | { state: OpeningState }
  | { level: keyof RestoreLog; fields: object; message: string };

serveTask<OpeningTask, OpeningProgress>((task, onProgress) => {
  const logAt =
    (level: keyof RestoreLog) =>
    (fields: object, message: string): void =>
      onProgress({ level, fields, message });
  openAsOwner({
    ...task,
    onState: (state) => onProgress({ state }),
    log: { warn: logAt("warn"), error: logAt("error") },
  }).close();
});

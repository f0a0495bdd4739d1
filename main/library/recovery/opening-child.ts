// The child process that makes a library ready which could not be opened at the start: what checks it, restores it and
// waits for other programs would hold up the app's own process, which serves requests meanwhile.

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

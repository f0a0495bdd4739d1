// The child process that makes a library ready which could not be opened at the start: what checks it, restores it and
// waits for other programs would hold up the app's own process, which serves requests meanwhile.

import { serveTask } from "../../processes/serve-task.ts";
import { openAsOwner, type Opening, type OpeningState } from "./opening.ts";
import type { RestoringLog } from "./restoring.ts";

export type OpeningTask = Pick<Opening, "dataDir" | "path" | "atMs" | "state">;
export type OpeningProgress =
  | { state: OpeningState }
  | { level: keyof RestoringLog; fields: object; message: string };

serveTask<OpeningTask, OpeningProgress>((task, onProgress) => {
  const told =
    (level: keyof RestoringLog) =>
    (fields: object, message: string): void =>
      onProgress({ level, fields, message });
  openAsOwner({
    ...task,
    onState: (state) => onProgress({ state }),
    log: { warn: told("warn"), error: told("error") },
  }).close();
});

// Messages between the app and a child process that runs one task.

import type { SerializedError } from "../contract/errors.ts";

export type ToTask = {
  task: unknown;
  /** The process is killed if it uses more memory. */ maxMb: number;
};

export type FromTask =
  | { type: "progress"; value: unknown }
  | { type: "done"; value: unknown }
  | { type: "failed"; error: SerializedError | string };

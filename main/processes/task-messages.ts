// What the app and a process with one task say to each other.

import type { ErrorKey } from "../contract/errors.ts";

export type ToTask = {
  task: unknown;
  /** The process is ended where it takes more. */ maxMb: number;
};

export type FromTask =
  | { type: "progress"; value: unknown }
  | { type: "done"; value: unknown }
  /** With a key: an AppError. */
  | { type: "failed"; message: string; key?: ErrorKey; param?: string };

// Tasks that pass untrusted media to FFmpeg. They are watched more closely, and if the child process dies, the file is
// to blame.

import type { TaskName } from "./protocol.ts";

const mediaTasks: ReadonlySet<TaskName> = new Set<TaskName>([
  "listen.open",
  "listen.step",
  "duration",
  "probe",
  "prepare.open",
  "prepare.step",
  "cut.open",
  "cut.step",
  "take",
]);

export const isMediaTask = (name: TaskName): boolean => mediaTasks.has(name);

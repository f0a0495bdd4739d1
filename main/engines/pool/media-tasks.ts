// Tasks that pass untrusted media to FFmpeg. They are watched more closely, and if the child process dies, the file is
// to blame.

import type { TaskName } from "./protocol.ts";

const mediaTasks: ReadonlySet<TaskName> = new Set<TaskName>([
  "segment.open",
  "segment.step",
  "duration",
  "probe",
  "prepare-playback.open",
  "prepare-playback.step",
  "split.open",
  "split.step",
  "save-take",
]);

export const isMediaTask = (name: TaskName): boolean => mediaTasks.has(name);

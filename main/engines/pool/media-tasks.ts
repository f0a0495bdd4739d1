// Which tasks give media from outside to FFmpeg: they are watched more closely, and what comes of a process that they
// bring down is the file's fault.

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

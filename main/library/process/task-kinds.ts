// What each task of the library's process does to the library.

import type { LibraryTask } from "../library-tasks.ts";

type TaskKind = {
  readonly writes: boolean;
  /** Running it twice has the same effect as once. */
  readonly isRepeatable: boolean;
};
const readOnly: TaskKind = { writes: false, isRepeatable: true };
const repeatableWrite: TaskKind = { writes: true, isRepeatable: true };
const singleWrite: TaskKind = { writes: true, isRepeatable: false };

export const taskKinds: Readonly<Record<LibraryTask, TaskKind>> = {
  search: readOnly,
  readFirstWords: readOnly,
  listSpeakers: readOnly,
  readDocument: readOnly,
  exportTranscript: readOnly,
  readScript: readOnly,
  exportNarration: readOnly,
  checkpoint: readOnly,
  importItem: repeatableWrite,
  addWork: repeatableWrite,
  dropWork: repeatableWrite,
  dropItem: repeatableWrite,
  replace: singleWrite,
  changeDocument: singleWrite,
  changeNarration: singleWrite,
};

// Messages between the app and the library's child process.

import type { SerializedError } from "../../contract/errors.ts";
import type { LibraryTask } from "../library-tasks.ts";

export type ToChild = {
  /** Path of the library file. */ path: string;
  id: number;
  task: LibraryTask;
  args: readonly unknown[];
};

export type FromChild =
  | { type: "done"; id: number; result: unknown }
  | { type: "failed"; id: number; error: SerializedError | string }
  | { type: "document"; itemId: string; revision: number }
  | { type: "damage"; message: string };

// What the app and the library's process tell each other.

import type { ErrorKey } from "../../contract/errors.ts";
import type { LibraryTask } from "../library-tasks.ts";

export type ToChild = {
  /** Of the library's file. */ path: string;
  id: number;
  task: LibraryTask;
  args: readonly unknown[];
};

export type FromChild =
  | { type: "done"; id: number; result: unknown }
  /** With a key: an AppError. */
  | {
      type: "failed";
      id: number;
      message: string;
      key?: ErrorKey;
      param?: string;
      retryAfterSec?: number;
    }
  | { type: "document"; itemId: string; revision: number }
  | { type: "damage"; message: string };

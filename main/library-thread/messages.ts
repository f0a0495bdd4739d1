// What the main thread and the library's thread tell each other.

import type { ErrorKey } from '../contract/errors.ts';
import type { LibraryTask } from '../library/library-tasks.ts';

export type ToThread = { id: number; task: LibraryTask; args: readonly unknown[] };

export type FromThread =
  | { type: 'done'; id: number; result: unknown }
  /** With a key: an AppError. */
  | { type: 'failed'; id: number; message: string; key?: ErrorKey; param?: string; retryAfterSec?: number }
  | { type: 'document'; itemId: string; revision: number }
  | { type: 'damage'; message: string };

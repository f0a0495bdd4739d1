// The form of a table of messages.

import type { ErrorKey } from "../error-table.ts";

/** Id → English text. A text alone is a note or a part of another message; an error also has its key. */
export type MessageTable = Readonly<Record<string, string | readonly [ErrorKey, string]>>;

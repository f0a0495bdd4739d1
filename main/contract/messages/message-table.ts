// The form of a table of messages.

import type { ErrorKey } from "../error-table.ts";

/** Id → English text. A text alone is a note or a part of another message; an error also has its key. */
export type MessageTable = Readonly<Record<string, string | readonly [ErrorKey, string]>>;

/** A text written on several lines. The type is the whole text, since it names the message's parameters. */
export const joinText = <const Parts extends readonly string[]>(...parts: Parts) =>
  parts.join("") as Joined<Parts>;

type Joined<Parts extends readonly string[]> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? `${First}${Joined<Rest>}`
  : "";

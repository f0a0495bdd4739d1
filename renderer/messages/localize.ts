// Translates messages that the app sends in English with an id and parameters: errors, notes, test results. Text from
// elsewhere, and what an older version stored, has no id and is shown as it is.

import type { SentMessage } from "../../main/contract/messages/messages.ts";
import { translateSent } from "./messages.ts";

export function localize({ message, id, params = {} }: SentMessage): string {
  if (id === undefined) return message;
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "object" ? localize(value) : value,
    ]),
  );
  try {
    return translateSent(id, values) ?? message;
  } catch {
    // Stored with other parameters than the text has now.
    return message;
  }
}

// Translates messages that the app sends in English with an id and parameters: errors, notes, test results. Text from
// elsewhere, and what an older version stored, has no id and is shown as it is.

import { translate, type SentMessage } from "../../main/contract/messages/messages.ts";
import { languageInUse, sentTextsInUse } from "./messages.ts";

export const localize = (sent: SentMessage): string =>
  translate(sent, sentTextsInUse(), languageInUse());

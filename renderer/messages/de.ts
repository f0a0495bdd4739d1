// All German texts, merged from one file per area.
import type { MessageId } from "../../main/contract/messages/messages.ts";
import channels from "./de/channels.json" with { type: "json" };
import dictate from "./de/dictate.json" with { type: "json" };
import germanMessages from "../../main/contract/messages/german-messages.json" with { type: "json" };
import library from "./de/library.json" with { type: "json" };
import models from "./de/models.json" with { type: "json" };
import narrate from "./de/narrate.json" with { type: "json" };
import server from "./de/server.json" with { type: "json" };
import settings from "./de/settings.json" with { type: "json" };
import shell from "./de/shell.json" with { type: "json" };
import transcribe from "./de/transcribe.json" with { type: "json" };
import welcome from "./de/welcome.json" with { type: "json" };

export const messages = {
  ...shell,
  ...welcome,
  ...transcribe,
  ...narrate,
  ...library,
  ...models,
  ...channels,
  ...server,
  ...settings,
  ...dictate,
};

/** Messages of the app, by id. */
export const sentMessages: Record<MessageId, string> = germanMessages;

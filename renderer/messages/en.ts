// All English texts, merged from one file per area: the keys that every language has.
import captions from "./en/captions.json" with { type: "json" };
import channels from "./en/channels.json" with { type: "json" };
import dictate from "./en/dictate.json" with { type: "json" };
import frame from "./en/frame.json" with { type: "json" };
import library from "./en/library.json" with { type: "json" };
import models from "./en/models.json" with { type: "json" };
import narrate from "./en/narrate.json" with { type: "json" };
import server from "./en/server.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import transcribe from "./en/transcribe.json" with { type: "json" };
import welcome from "./en/welcome.json" with { type: "json" };

export const messages = {
  ...frame,
  ...welcome,
  ...transcribe,
  ...narrate,
  ...library,
  ...models,
  ...channels,
  ...server,
  ...settings,
  ...dictate,
  ...captions,
};

// Names of voices in messages.

import { createMessage, type SentMessage } from "./messages/messages.ts";

/** A model may have dozens of voices, and messages of providers are cut. */
const maxListedVoices = 12;

export function listVoices(ids: readonly string[]): string | SentMessage {
  const voices = quoteVoices(ids.slice(0, maxListedVoices));
  const more = ids.length - maxListedVoices;
  return more > 0 ? createMessage("voice.andMore", { voices, more }) : voices;
}

export const quoteVoices = (ids: readonly string[]): string =>
  ids.map((id) => `'${id}'`).join(", ");

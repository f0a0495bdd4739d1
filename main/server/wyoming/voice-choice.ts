// Which voice speaks for a Wyoming client, who names a voice, a language, both or neither.

import { z } from "zod";
import { parseLanguage } from "../../contract/languages.ts";
import { openAiVoices } from "../../contract/openai.ts";
import type { SpeechJob, VoiceInfo } from "../../contract/speech.ts";

export const requestedVoice = z.object({
  name: z.string().max(400).nullish(),
  language: z.string().max(40).nullish(),
});

const defaultModel = "tts-1";
const defaultVoice = "alloy";

const isFixedName = (name: string): boolean => (openAiVoices as readonly string[]).includes(name);

/** A name that is not listed may be an alias or a blend; the channel refuses what it does not know. */
export function chooseVoice(
  { name, language }: z.infer<typeof requestedVoice>,
  voices: readonly VoiceInfo[],
): Pick<SpeechJob, "model" | "voice" | "language"> {
  const code = language == null ? undefined : parseLanguage(language);
  const spoken = code === undefined ? {} : { language: code };
  if (name != null) {
    // By their own model, another voice could not take over in a language that it does not know.
    const model = isFixedName(name) ? defaultModel : voices.find(({ id }) => id === name)?.model;
    return { model: model ?? defaultModel, voice: name, ...spoken };
  }
  const speakers = voices.filter((voice) => parseLanguage(voice.language) === code);
  const listed =
    speakers.find((voice) => voice.language.toLowerCase() === language?.toLowerCase()) ??
    speakers[0];
  return code === undefined || code === "en" || listed === undefined
    ? { model: defaultModel, voice: defaultVoice, ...spoken }
    : { model: listed.model, voice: listed.id, ...spoken };
}

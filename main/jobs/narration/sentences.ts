// Sentences of a narration with ids derived from content, voice, speed and model. An edit elsewhere in the script does
// not change the id of a sentence, so it keeps its takes.

import { hash } from "node:crypto";
import { AppError } from "../../contract/errors.ts";
import type { NarrateOptions, Pronunciation } from "../../contract/narration.ts";
import { knowsVoice } from "../../contract/voice-blend.ts";
import { listPronunciations } from "../../library/vocabulary.ts";
import { createPronouncer } from "../../text/script/apply-pronunciations.ts";
import { parseScriptInSteps, type ScriptSentence } from "../../text/script/script.ts";
import { detectCertainLanguage } from "../../text/text-language.ts";

export type Sentence = ScriptSentence & {
  /** Unique within the narration. */
  id: string;
  /** Key of its takes, the same in all narrations. */
  content: string;
};

export const sentenceNotFoundError = (): AppError =>
  new AppError("narration.sentenceUnknown", {}, { param: "sentenceId" });

/** Voices of OpenAI, which providers offer without listing them. A model that lacks one responds with an error. */
const openAiVoices = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
];

export type SentencesInput = {
  script: string;
  options: NarrateOptions;
  /** Of the vocabulary. */
  pronunciations: readonly Pronunciation[];
  voices: readonly string[];
};

/** Yields after each line or sentence. */
export function* readSentences({
  script,
  options,
  pronunciations,
  voices,
}: SentencesInput): Generator<undefined, Sentence[]> {
  const { model, englishFamily, pronunciations: own = [], ...readings } = options;
  // Narrations from before there was a choice of families keep their sentences, and the keys of their takes.
  const isOlder = englishFamily === undefined;
  const family = model === "tts-1-hd" && !isOlder ? [englishFamily] : [];
  const wholeLanguage = isOlder ? undefined : detectCertainLanguage(script);
  const voicesByName = new Map(
    [...openAiVoices, ...voices].map((name) => [name.toLowerCase(), name]),
  );
  const findBlend = (name: string): string | undefined =>
    name.includes("+") && knowsVoice(name, (id) => voicesByName.has(id.toLowerCase()))
      ? name
      : undefined;
  const countByContent = new Map<string, number>();
  const sentencesWithIds: Sentence[] = [];
  for (const sentence of yield* parseScriptInSteps(script, {
    ...readings,
    findVoice: (name) => voicesByName.get(name.toLowerCase()) ?? findBlend(name),
    pronounce: createPronouncer([...pronunciations, ...listPronunciations(own)]),
    ...(isOlder
      ? {}
      : { languageOf: (paragraph) => detectCertainLanguage(paragraph) ?? wholeLanguage }),
  })) {
    yield;
    const { language = "en" } = sentence;
    const more = language === "en" ? family : [...family, language];
    const voiced = JSON.stringify([sentence.text, sentence.voice, sentence.speed, model, ...more]);
    const content = hash("sha256", voiced, "base64url").slice(0, 22);
    const earlierCount = countByContent.get(content) ?? 0;
    countByContent.set(content, earlierCount + 1);
    sentencesWithIds.push({
      ...sentence,
      content,
      id: earlierCount === 0 ? content : `${content}.${earlierCount + 1}`,
    });
  }
  return sentencesWithIds;
}

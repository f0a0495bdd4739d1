// A narration's sentences with their names: by content, voice, speed and model, so that an edit elsewhere in the
// script leaves a sentence, and its takes, as they are.

import { createHash } from "node:crypto";
import type { NarrateOptions, Pronunciation } from "../../contract/studio.ts";
import { createPronouncer } from "../../text/script/apply-pronunciations.ts";
import { parseScriptInSteps, type ScriptSentence } from "../../text/script/script.ts";

export type Sentence = ScriptSentence & {
  /** Unique in its narration. */
  id: string;
  /** What its takes are found by, in any narration. */
  content: string;
};

/** Providers have these beside what they tell; a model that has not got one says so. */
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
  pronunciations: readonly Pronunciation[];
  voices: readonly string[];
};

/** A line or a sentence a step. */
export function* readSentences({
  script,
  options,
  pronunciations,
  voices,
}: SentencesInput): Generator<undefined, Sentence[]> {
  const { model, voice, speed } = options;
  const voicesByName = new Map(
    [...openAiVoices, ...voices].map((name) => [name.toLowerCase(), name]),
  );
  const countByContent = new Map<string, number>();
  const sentencesWithIds: Sentence[] = [];
  for (const sentence of yield* parseScriptInSteps(script, {
    voice,
    speed,
    findVoice: (name) => voicesByName.get(name.toLowerCase()),
    pronounce: createPronouncer(pronunciations),
  })) {
    yield;
    const content = createHash("sha256")
      .update(JSON.stringify([sentence.text, sentence.voice, speed, model]))
      .digest("base64url")
      .slice(0, 22);
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

// A narration's sentences with their names: by content, voice, speed and model, so that an edit elsewhere in the
// script leaves a sentence, and its takes, as they are.

import { createHash } from "node:crypto";
import type { NarrateOptions, Pronunciation } from "../../contract/studio.ts";
import { createPronouncer } from "../../text/script/pronouncing.ts";
import { readScriptInSteps, type ScriptSentence } from "../../text/script/script.ts";

export type Sentence = ScriptSentence & {
  /** Unique in its narration. */
  id: string;
  /** What its takes are found by, in any narration. */
  content: string;
};

/** Providers have these beside what they tell; a model that has not got one says so. */
const widelyKnown = [
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

export type SentencesDeps = {
  script: string;
  options: NarrateOptions;
  pronunciations: readonly Pronunciation[];
  voices: readonly string[];
};

/** A line or a sentence a step. */
export function* nameSentences({
  script,
  options,
  pronunciations,
  voices,
}: SentencesDeps): Generator<undefined, Sentence[]> {
  const { model, voice, speed } = options;
  const known = new Map([...widelyKnown, ...voices].map((name) => [name.toLowerCase(), name]));
  const seen = new Map<string, number>();
  const named: Sentence[] = [];
  for (const sentence of yield* readScriptInSteps(script, {
    voice,
    speed,
    voiceNamed: (name) => known.get(name.toLowerCase()),
    pronounce: createPronouncer(pronunciations),
  })) {
    yield;
    const content = createHash("sha256")
      .update(JSON.stringify([sentence.text, sentence.voice, speed, model]))
      .digest("base64url")
      .slice(0, 22);
    const before = seen.get(content) ?? 0;
    seen.set(content, before + 1);
    named.push({ ...sentence, content, id: before === 0 ? content : `${content}.${before + 1}` });
  }
  return named;
}

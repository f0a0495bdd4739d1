// Narrations and their sentences as the window gets them.

import type { Narration, NarrationSentence } from "../../contract/narration.ts";
import { detectOtherLanguage } from "../../text/script/detect-other-language.ts";
import { chosenTake, type LoadedNarration } from "./loaded-narration.ts";
import type { Sentence } from "./sentences.ts";

export function toNarrationSentence(
  narration: LoadedNarration,
  sentence: Sentence,
): NarrationSentence {
  const { id, start, end, text, voice, speaker, pauseSec, gainDb, chapter, content } = sentence;
  const chosen = chosenTake(narration, sentence);
  const missed = narration.notes.get(id)?.missed;
  return {
    id,
    start,
    end,
    text,
    voice,
    ...(speaker === undefined ? {} : { speaker }),
    pauseSec,
    ...(gainDb === undefined ? {} : { gainDb }),
    ...(chapter === undefined ? {} : { chapter }),
    takes: (narration.takes.get(content) ?? []).map(
      ({ id: takeId, durationSec, madeAtMs, model, channel }) => ({
        id: takeId,
        durationSec,
        madeAtMs,
        model,
        channel,
      }),
    ),
    ...(chosen === undefined ? {} : { chosenTake: chosen.id }),
    ...(missed === undefined ? {} : { missed }),
  };
}

/** Yields after each sentence. @param spokenLanguages of this machine's voices; undefined if others may speak */
export function* toNarration(
  narration: LoadedNarration,
  spokenLanguages: ReadonlySet<string> | undefined,
): Generator<undefined, Narration> {
  const sentences: NarrationSentence[] = [];
  for (const sentence of narration.sentences) {
    yield;
    sentences.push(toNarrationSentence(narration, sentence));
  }
  const language = spokenLanguages && detectOtherLanguage(narration.script);
  return {
    revision: narration.revision,
    script: narration.script,
    options: narration.options,
    sentences,
    unspeakable:
      spokenLanguages === undefined
        ? []
        : [...narration.unspeakable].filter(
            (word) => !spokenLanguages.has("hi") || !/^\p{Script=Devanagari}/u.test(word),
          ),
    ...(language === undefined || spokenLanguages?.has(language)
      ? {}
      : { otherLanguage: language }),
  };
}

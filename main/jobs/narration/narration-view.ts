// Narrations and their sentences as the window gets them.

import type { Narration, NarrationSentence } from "../../contract/narration.ts";
import { detectOtherLanguage } from "../../text/script/detect-other-language.ts";
import { chosenTake, type LoadedNarration } from "./loaded-narration.ts";
import type { Sentence } from "./sentences.ts";

export function toNarrationSentence(
  narration: LoadedNarration,
  sentence: Sentence,
): NarrationSentence {
  const { id, start, end, text, voice, pauseSec, chapter, content } = sentence;
  const chosen = chosenTake(narration, sentence);
  const missed = narration.notes.get(id)?.missed;
  return {
    id,
    start,
    end,
    text,
    voice,
    pauseSec,
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

/** Yields after each sentence. @param isEnglish its voices speak only English */
export function* toNarration(
  narration: LoadedNarration,
  isEnglish: boolean,
): Generator<undefined, Narration> {
  const sentences: NarrationSentence[] = [];
  for (const sentence of narration.sentences) {
    yield;
    sentences.push(toNarrationSentence(narration, sentence));
  }
  const language = isEnglish ? detectOtherLanguage(narration.script) : undefined;
  return {
    revision: narration.revision,
    script: narration.script,
    options: narration.options,
    sentences,
    unspeakable: isEnglish ? [...narration.unspeakable] : [],
    ...(language === undefined ? {} : { otherLanguage: language }),
  };
}

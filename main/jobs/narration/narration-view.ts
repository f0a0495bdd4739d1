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
      ({ itemId: _item, sentenceId: _sentence, content: _content, ...take }) => take,
    ),
    ...(chosen === undefined ? {} : { chosenTake: chosen.id }),
    ...(chosen?.spokenBy === undefined ? {} : { spokenBy: chosen.spokenBy }),
    ...(missed === undefined ? {} : { missed }),
  };
}

/** Yields after each sentence. @param spokenLanguages of this machine's voices; undefined if others may speak */
export function* toNarration(
  narration: LoadedNarration,
  spokenLanguages: ReadonlySet<string> | undefined,
): Generator<undefined, Narration> {
  const sentences: NarrationSentence[] = [];
  const languages = createLanguageList();
  for (const sentence of narration.sentences) {
    yield;
    sentences.push(toNarrationSentence(narration, sentence));
    languages.add(sentence);
  }
  const language = detectOtherLanguage(narration.script);
  if (language !== undefined) languages.found.add(language);
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
    otherLanguages:
      spokenLanguages === undefined
        ? []
        : [...languages.found].filter((code) => !spokenLanguages.has(code)),
  };
}

/** Of fewer words in a row, one in 500 English phrases is taken for another language. */
const minCertainWords = 8;

/** Languages of the sentences, each of enough words without another language between them. */
function createLanguageList() {
  const found = new Set<string>();
  let last: string | undefined;
  let wordCount = 0;
  return {
    found,
    add({ language, isLanguageGiven, written }: Sentence): void {
      if (language !== last) wordCount = 0;
      last = language;
      wordCount += written.match(/\p{L}+/gu)?.length ?? 0;
      if (language !== undefined && (isLanguageGiven || wordCount >= minCertainWords))
        found.add(language);
    },
  };
}

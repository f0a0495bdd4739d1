// Writes the terms of a job's vocabulary where a model of this machine wrote something else instead. Near sounds count
// only for models that take no prompt, in English: others have the terms in their prompt.

import type { InstalledModel } from "../contract/models.ts";
import type { TranscriptSegment } from "../contract/speech.ts";
import type { VocabularyTerm } from "../contract/vocabulary.ts";
import { applyCorrections, chooseCorrections } from "../text/vocabulary/apply-corrections.ts";
import { createCorrectionFinder } from "../text/vocabulary/find-corrections.ts";

/** Of these English words, those in no dictionary. */
export type FindUnknownWords = (
  words: readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[]>;

export type CorrectSegments = (
  segments: readonly TranscriptSegment[],
  model: InstalledModel,
) => Promise<TranscriptSegment[]>;

export function createVocabularyCorrection(
  terms: readonly VocabularyTerm[],
  findUnknownWords: FindUnknownWords,
  signal: AbortSignal,
): CorrectSegments {
  const find = createCorrectionFinder(terms);
  /** Word → whether it is in no dictionary. */
  const looked = new Map<string, boolean>();

  async function lookUp(words: readonly string[]): Promise<void> {
    const newWords = [...new Set(words)].filter((word) => !looked.has(word));
    if (newWords.length === 0) return;
    // Without the dictionary, every word counts as known and stays.
    const unknown = new Set(await findUnknownWords(newWords, signal).catch(() => []));
    signal.throwIfAborted();
    for (const word of newWords) looked.set(word, unknown.has(word));
  }

  return async (segments, { capabilities }) => {
    const found = segments.map(({ text, language }) =>
      find(text, { hasNearSounds: !capabilities.prompt && language === "en" }),
    );
    await lookUp(found.flat().flatMap(({ doubtful }) => doubtful));
    return segments.map((segment, index) =>
      applyCorrections(
        segment,
        chooseCorrections(found[index] ?? [], (word) => looked.get(word) === true),
      ),
    );
  };
}

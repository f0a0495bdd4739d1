// A narration in memory: its sentences with their takes and notes, and what is known from them.

import { AppError } from "../../contract/errors.ts";
import type { Pronunciation } from "../../contract/narration.ts";
import type { StoredNarration, StoredTake } from "../../library/narrations.ts";
import type { SentenceNote } from "../../library/sentence-notes.ts";
import type { Sentence } from "./sentences.ts";

export type LoadedNarration = StoredNarration & {
  readonly itemId: string;
  /**
   * Set if the script, accepted by an earlier version, has too many sentences: `sentences` is empty until it is
   * shortened.
   */
  readonly tooLongError?: AppError | undefined;
  readonly sentences: readonly Sentence[];
  readonly byId: ReadonlyMap<string, Sentence>;
  /** Words of the script that an English voice cannot pronounce. */
  readonly unspeakable: readonly string[];
  /** By content, oldest first. */
  readonly takes: Map<string, StoredTake[]>;
  readonly notes: Map<string, SentenceNote>;
  readonly pronunciations: readonly Pronunciation[];
};

/** The take that the user chose, otherwise the first. */
export function chosenTake(
  { takes, notes }: LoadedNarration,
  { id, content }: Sentence,
): StoredTake | undefined {
  const all = takes.get(content) ?? [];
  const chosen = notes.get(id)?.chosenTake;
  return all.find((take) => take.id === chosen) ?? all[0];
}

export const isGenerated = ({ takes }: LoadedNarration, { content }: Sentence): boolean =>
  (takes.get(content)?.length ?? 0) > 0;

/** Duration of the generated audio including pauses, and the generated part, 0 to 1. Yields after each sentence. */
export function* measureGenerated(
  narration: LoadedNarration,
): Generator<undefined, { durationSec: number; progress: number }> {
  let durationSec = 0;
  let generatedCount = 0;
  for (const sentence of narration.sentences) {
    yield;
    const take = chosenTake(narration, sentence);
    if (take === undefined) continue;
    generatedCount += 1;
    durationSec += take.durationSec + sentence.pauseSec;
  }
  return {
    durationSec,
    progress: narration.sentences.length === 0 ? 0 : generatedCount / narration.sentences.length,
  };
}

/** @throws AppError if the script is too long: its sentences are unknown */
export function requireComplete(narration: LoadedNarration): LoadedNarration {
  if (narration.tooLongError !== undefined) throw narration.tooLongError;
  return narration;
}

export function* listMissingIds(
  narration: LoadedNarration,
  isRequested: (sentence: Sentence) => boolean,
): Generator<undefined, string[]> {
  const ids: string[] = [];
  for (const sentence of narration.sentences) {
    yield;
    if (!isGenerated(narration, sentence) && isRequested(sentence)) ids.push(sentence.id);
  }
  return ids;
}

export const takeNotFoundError = (): AppError =>
  new AppError("narration.takeUnknown", {}, { param: "takeId" });

// Names for the speakers of a file: those that were given, those of known voices that resemble them, letters for all
// others. Pure.

import { type KnownVoice, speakerLetters } from "../contract/speakers.ts";

export type SpeakerName = {
  readonly name: string;
  /** How sure it is, 0 to 1, if the name is that of a voice that sounds alike. */
  readonly confidence?: number;
};

/**
 * Prints of one voice in different recordings resemble each other more than this, those of different voices less:
 * engines/diarization/NOTES.md has the figures.
 */
const minSimilarity = 0.45;
/** How fast it becomes surer above: 0.5 at the threshold, 0.9 at 0.56, 0.99 at 0.68. */
const confidenceSlope = 20;

/**
 * By speaker. Each voice is one speaker's at most: the one that resembles it most.
 * @param given speaker → name
 */
export function nameSpeakers(
  prints: readonly Float32Array[],
  voices: readonly KnownVoice[],
  given: ReadonlyMap<number, string> = new Map(),
): SpeakerName[] {
  const names = new Map<number, SpeakerName>(
    Array.from(given, ([speaker, name]) => [speaker, { name }]),
  );
  const taken = new Set(given.values());
  const pairs = prints
    .flatMap((print, speaker) =>
      voices.map((voice) => ({ speaker, name: voice.name, value: cosine(print, voice.print) })),
    )
    .filter(({ value }) => value >= minSimilarity)
    .sort((one, other) => other.value - one.value);
  for (const { speaker, name, value } of pairs) {
    if (names.has(speaker) || taken.has(name)) continue;
    names.set(speaker, { name, confidence: confidenceOf(value) });
    taken.add(name);
  }
  // Also a known voice that does not speak here may be named like a letter.
  const reserved = new Set([...taken, ...voices.map(({ name }) => name)]);
  const letters = [...prints, ...reserved]
    .map((_, index) => speakerLetters(index))
    .filter((letter) => !reserved.has(letter));
  return prints.map((_, speaker) => names.get(speaker) ?? { name: letters.shift() ?? "" });
}

function cosine(one: Float32Array, other: Float32Array): number {
  let product = 0;
  for (const [i, value] of one.entries()) product += value * (other[i] ?? 0);
  return product === 0 ? 0 : product / (Math.hypot(...one) * Math.hypot(...other));
}

const confidenceOf = (similarity: number): number =>
  1 / (1 + Math.exp(-confidenceSlope * (similarity - minSimilarity)));

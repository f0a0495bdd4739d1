// Names for speakers of whom the caller has sent a recording.

import { AppError } from "../contract/errors.ts";
import { type FindSpeakers, type KnownSpeaker, speakerLetters } from "../contract/speakers.ts";

type KnownVoice = { readonly name: string; readonly print: Float32Array };

/** A recording with less speech says too little about a voice. */
const minSpeechSec = 1;
/** Prints of one voice in different recordings resemble each other more than this, those of different voices less. */
const minSimilarity = 0.45;

const param = "known_speaker_references";

/** @throws AppError if a recording is silent or too short, or cannot be decoded */
export const embedKnownSpeakers = (
  findSpeakers: FindSpeakers,
  known: readonly KnownSpeaker[],
  signal: AbortSignal,
): Promise<KnownVoice[]> =>
  Promise.all(
    known.map(async ({ name, media }) => {
      const { turns, prints } = await findSpeakers(media, { max: 1 }, signal).catch(
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          throw new AppError("request.knownSpeakerAudio", {}, { param, cause: error });
        },
      );
      const speechSec = turns.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
      const [print = new Float32Array()] = prints;
      if (print.length === 0 || speechSec < minSpeechSec)
        throw new AppError("request.knownSpeaker", { name }, { param });
      return { name, print };
    }),
  );

/** By speaker: the name of the voice that resembles theirs most, each once; letters for all others. */
export function nameSpeakers(
  prints: readonly Float32Array[],
  voices: readonly KnownVoice[],
): string[] {
  const pairs = prints
    .flatMap((print, speaker) =>
      voices.map((voice) => ({ speaker, name: voice.name, value: cosine(print, voice.print) })),
    )
    .filter(({ value }) => value >= minSimilarity)
    .sort((one, other) => other.value - one.value);
  const names = new Map<number, string>();
  for (const { speaker, name } of pairs)
    if (!names.has(speaker) && ![...names.values()].includes(name)) names.set(speaker, name);
  const taken = new Set(names.values());
  const letters = [...prints, ...voices]
    .map((_, index) => speakerLetters(index))
    .filter((letter) => !taken.has(letter));
  return prints.map((_, speaker) => names.get(speaker) ?? letters.shift() ?? "");
}

function cosine(one: Float32Array, other: Float32Array): number {
  let product = 0;
  for (const [i, value] of one.entries()) product += value * (other[i] ?? 0);
  return product === 0 ? 0 : product / (Math.hypot(...one) * Math.hypot(...other));
}

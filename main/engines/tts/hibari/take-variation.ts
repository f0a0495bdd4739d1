// Variation for another take of a sentence: a little faster or slower, livelier or calmer, with another melody; always
// the same for the same number. Limits are smaller than the differences between the six voices, so each voice keeps its
// character.

import { minPitchHz } from "./pulse-train.ts";

export type TakeVariation = {
  /** Factor of the voice's pace. */
  pace: number;
  /** Factor of the voice's pitch range. */
  pitchRange: number;
  /** Position in the original sentence (0 to 1) for a position in the varied one; rises from 0 to 1. */
  sourcePositionAt(part: number): number;
  /** Pitch factor at that position of the sentence; 1 on average. */
  pitchFactorAt(part: number): number;
};

const maxPaceChange = 0.04;
const maxPitchRangeChange = 0.2;
/** Maximum local deviation from the sentence's pace. */
const maxPaceSwing = 0.05;
/** In octaves: two thirds of a semitone. */
const maxMelodyOctaves = 0.055;

/**
 * @param take from 1
 * @param random seeded from sentence and take
 */
export function createTakeVariation(take: number, random: () => number): TakeVariation {
  const minShare = 0.6;
  const randomAmount = (max: number): number => max * (minShare + (1 - minShare) * random());
  // Consecutive takes vary in opposite directions, so that their difference is audible.
  const pitchRangeSign = take % 2 === 1 ? 1 : -1;
  const paceSign = take % 4 < 2 ? 1 : -1;
  const pace = 1 + paceSign * randomAmount(maxPaceChange);
  const pitchRange = 1 + pitchRangeSign * randomAmount(maxPitchRangeChange);
  const paceSwing = randomAmount(maxPaceSwing);
  const melodyDepth = randomAmount(maxMelodyOctaves);
  const [swingPhase, melodyPhase] = [2 * Math.PI * random(), 2 * Math.PI * random()];
  const wave = (part: number): number => Math.sin(2 * Math.PI * part + swingPhase);
  return {
    pace,
    pitchRange,
    sourcePositionAt: (part) => part + (paceSwing / (2 * Math.PI)) * (wave(part) - wave(0)),
    pitchFactorAt: (part) => 2 ** (melodyDepth * Math.sin(3 * Math.PI * part + melodyPhase)),
  };
}

/** Pitch in Hz per frame with the take's melody; voiceless frames stay as they are. */
export const applyMelody = (f0Hz: Float32Array, { pitchFactorAt }: TakeVariation): Float32Array =>
  f0Hz.map((pitch, frame) =>
    pitch <= minPitchHz
      ? pitch
      : Math.max(minPitchHz + 1, pitch * pitchFactorAt((frame + 0.5) / f0Hz.length)),
  );

// Another take of the same sentence: said a little faster or slower, livelier or calmer, with another melody, always
// the same for the same number. Bounds lie within what the six voices differ by, so that each keeps its character.

import { minPitchHz } from "./pulse-train.ts";

export type TakeVariation = {
  /** Times the voice's pace. */
  pace: number;
  /** Times the voice's rise and fall of pitch. */
  pitchRange: number;
  /** Of the sentence's time as it was (0 to 1) where so much of the new one has passed: rises from 0 to 1. */
  sourcePositionAt(part: number): number;
  /** Factor of the pitch at that part of the sentence; 1 on the whole. */
  pitchFactorAt(part: number): number;
};

const maxPaceChange = 0.04;
const maxPitchRangeChange = 0.2;
/** Local pace against the whole sentence's. */
const maxPaceSwing = 0.05;
/** In octaves: two thirds of a semitone. */
const maxMelodyOctaves = 0.055;

/** @param take from 1 @param random of a seed that the sentence and the take decide */
export function createTakeVariation(take: number, random: () => number): TakeVariation {
  const minShare = 0.6;
  const randomAmount = (max: number): number => max * (minShare + (1 - minShare) * random());
  // Neighbouring takes go different ways: their difference is to be heard.
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

/** Pitch in Hz per frame, with the manner's melody; voiceless frames stay as they are. */
export const applyMelody = (f0Hz: Float32Array, { pitchFactorAt }: TakeVariation): Float32Array =>
  f0Hz.map((pitch, frame) =>
    pitch <= minPitchHz
      ? pitch
      : Math.max(minPitchHz + 1, pitch * pitchFactorAt((frame + 0.5) / f0Hz.length)),
  );

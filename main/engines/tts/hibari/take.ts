// Another take of the same sentence: said a little faster or slower, livelier or calmer, with another melody, always
// the same for the same number. Bounds lie within what the six voices differ by, so that each keeps its character.

import { lowestPitchHz } from "./pulse-train.ts";

export type Manner = {
  /** Times the voice's pace. */
  pace: number;
  /** Times the voice's rise and fall of pitch. */
  liveliness: number;
  /** Of the sentence's time as it was (0 to 1) where so much of the new one has passed: rises from 0 to 1. */
  placeAt(part: number): number;
  /** Factor of the pitch at that part of the sentence; 1 on the whole. */
  pitchAt(part: number): number;
};

const maxPace = 0.04;
const maxLiveliness = 0.2;
/** Local pace against the whole sentence's. */
const maxSwing = 0.05;
/** In octaves: two thirds of a semitone. */
const maxMelody = 0.055;

/** @param take from 1 @param random of a seed that the sentence and the take decide */
export function mannerOf(take: number, random: () => number): Manner {
  const least = 0.6;
  const amount = (most: number): number => most * (least + (1 - least) * random());
  // Neighbouring takes go different ways: their difference is to be heard.
  const livelier = take % 2 === 1 ? 1 : -1;
  const faster = take % 4 < 2 ? 1 : -1;
  const pace = 1 + faster * amount(maxPace);
  const liveliness = 1 + livelier * amount(maxLiveliness);
  const swing = amount(maxSwing);
  const melody = amount(maxMelody);
  const [swingPhase, melodyPhase] = [2 * Math.PI * random(), 2 * Math.PI * random()];
  const wave = (part: number): number => Math.sin(2 * Math.PI * part + swingPhase);
  return {
    pace,
    liveliness,
    placeAt: (part) => part + (swing / (2 * Math.PI)) * (wave(part) - wave(0)),
    pitchAt: (part) => 2 ** (melody * Math.sin(3 * Math.PI * part + melodyPhase)),
  };
}

/** Pitch in Hz per frame, with the manner's melody; voiceless frames stay as they are. */
export const withMelody = (f0Hz: Float32Array, { pitchAt }: Manner): Float32Array =>
  f0Hz.map((pitch, frame) =>
    pitch <= lowestPitchHz
      ? pitch
      : Math.max(lowestPitchHz + 1, pitch * pitchAt((frame + 0.5) / f0Hz.length)),
  );

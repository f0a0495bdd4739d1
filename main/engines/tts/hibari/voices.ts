// Six voices from one model: how each differs in pitch, vocal tract, breath and pace. The channel maps the names that
// clients use.

import type { ModelVoice } from "../../../contract/models.ts";
import { minPitchHz } from "./pulse-train.ts";
import type { SpectralShape } from "./spectral-shape.ts";

export type Voice = ModelVoice & {
  /** Factor of the model's pitch. */
  pitch: number;
  /** Factor of the model's pitch range, in octaves. */
  pitchRange: number;
  /** Factor of the frequency axis: below 1 for a longer vocal tract. */
  warp: number;
  /** Factor of the model's pace. */
  pace: number;
  /** ln added to the noise; ln added to the harmonics at 12 kHz. */
  breath: number;
  tilt: number;
  /**
   * Brings the voice to the target loudness of post-processing.ts, measured over twenty sentences. A test measures it
   * again.
   */
  gainDb: number;
};

const american = { language: "en", region: "US" };
const modelDefaults = {
  ...american,
  pitch: 1,
  pitchRange: 1,
  warp: 1,
  pace: 1,
  breath: 0,
  tilt: 0,
};

export const voices: readonly Voice[] = [
  {
    ...modelDefaults,
    id: "alloy",
    name: "Alloy",
    character: "Neutral and even",
    gender: "neutral",
    pitch: 0.78,
    pitchRange: 0.9,
    warp: 0.94,
    gainDb: 7.7,
  },
  {
    ...modelDefaults,
    id: "echo",
    name: "Echo",
    character: "Clear male voice",
    gender: "male",
    pitch: 0.62,
    warp: 0.88,
    gainDb: 7.8,
  },
  {
    ...modelDefaults,
    id: "fable",
    name: "Fable",
    character: "Expressive storyteller",
    gender: "neutral",
    pitch: 0.9,
    pitchRange: 1.35,
    warp: 0.96,
    gainDb: 7.1,
  },
  {
    ...modelDefaults,
    id: "onyx",
    name: "Onyx",
    character: "Deep male voice",
    gender: "male",
    pitch: 0.48,
    pitchRange: 0.9,
    warp: 0.82,
    pace: 0.94,
    gainDb: 8,
  },
  {
    ...modelDefaults,
    id: "nova",
    name: "Nova",
    character: "Bright female voice",
    gender: "female",
    gainDb: 6,
  },
  {
    ...modelDefaults,
    id: "shimmer",
    name: "Shimmer",
    character: "Soft female voice",
    gender: "female",
    pitch: 1.08,
    pitchRange: 0.85,
    warp: 1.04,
    pace: 0.93,
    breath: 0.35,
    tilt: -1,
    gainDb: 6.7,
  },
];

/** Undefined for an unknown voice. */
export const findVoice = (id: string): Voice | undefined => voices.find((voice) => voice.id === id);

/**
 * Spectral differences of the voice. A lower pitch has fewer pulses per second; half the logarithm of the pitch
 * compensates.
 */
export const spectralShape = ({ pitch, warp, breath, tilt }: Voice): SpectralShape => ({
  warp,
  breath,
  tilt,
  harmonicGain: Math.log(pitch) / 2,
});

/** Whether harmonics move to positions where the model has none. */
export const shiftsHarmonics = ({ pitch, pitchRange, warp }: Voice): boolean =>
  pitch !== 1 || pitchRange !== 1 || warp !== 1;

/** Keeps voiced frames voiced in deep voices. */
const minVoicedHz = minPitchHz + 10;

/** Pitch in Hz per frame, shifted and scaled around its geometric mean; voiceless frames stay as they are. */
export function applyVoicePitch(f0Hz: Float32Array, voice: Voice): Float32Array {
  let sum = 0;
  let count = 0;
  for (const pitch of f0Hz) {
    if (pitch <= minPitchHz) continue;
    sum += Math.log(pitch);
    count++;
  }
  const mean = sum / Math.max(count, 1);
  return f0Hz.map((pitch) =>
    pitch <= minPitchHz
      ? pitch
      : Math.max(
          minVoicedHz,
          voice.pitch * Math.exp(mean + (Math.log(pitch) - mean) * voice.pitchRange),
        ),
  );
}

// Finds the frames with speech, and slows speech down. The model's own speed input stays at 1, because it rounds every
// phoneme to 25 ms: 1.33 gives 1.21 times the speed, 1.36 gives 1.57 times. Slower speech resamples the frames before
// synthesis, so nothing is repeated; pitch is a value per frame and stays. Faster speech keeps its consonants better
// when the samples are stretched: see audio/dsp/time-stretch.ts.

import type { AcousticFrames } from "./acoustic-model.ts";
import { fftSize, minPitchHz } from "./pulse-train.ts";

/** Frames `from` (inclusive) to `to` (exclusive). */
export type FrameRange = { from: number; to: number };

/** The model's silence is near −100 dBFS, its weakest consonants at −60. */
const silenceDbfs = -70;
/** Every fourth of the 601 bins is enough to tell speech from silence. */
const binStep = 4;

/** Range of the speech with a little silence around it; empty if there is none. */
export function findSpeechRange(
  frames: AcousticFrames,
  marginBefore: number,
  marginAfter: number,
): FrameRange {
  const { frameCount } = frames;
  let from = 0;
  while (from < frameCount && frameLevelDbfs(frames, from) < silenceDbfs) from++;
  let to = frameCount;
  while (to > from && frameLevelDbfs(frames, to - 1) < silenceDbfs) to--;
  if (from === to) return { from: 0, to: 0 };
  return { from: Math.max(0, from - marginBefore), to: Math.min(frameCount, to + marginAfter) };
}

/** Approximate level of the frame from the energy of its bins (Parseval; 0.375 is the mean of the squared window). */
function frameLevelDbfs({ lh, ln, lr, f0Hz, stride }: AcousticFrames, frame: number): number {
  const voiced = f0Hz[frame]! > minPitchHz;
  let energy = 0;
  for (let i = frame; i < lh.length; i += binStep * stride) {
    energy +=
      2 * Math.exp(2 * ln[i]!) + Math.exp(2 * lr[i]!) + (voiced ? Math.exp(2 * lh[i]!) / 2 : 0);
  }
  return 10 * Math.log10((2 * binStep * energy) / (0.375 * fftSize * fftSize) + 1e-20);
}

/**
 * The range's n frames → n / pace: linear interpolation of the levels, phases of the nearest frame. `random` gives the
 * remainder's phases where a frame is reused: the same phases every 12.5 ms would buzz at 80 Hz. `sourcePositionAt`
 * shifts positions within the range; both are fractions of its length.
 */
export function changePace(
  frames: AcousticFrames,
  { from, to }: FrameRange,
  pace: number,
  random: () => number,
  sourcePositionAt?: (fractions: number) => number,
): AcousticFrames {
  const { stride } = frames;
  if (pace === 1 && sourcePositionAt === undefined) return sliceFrames(frames, from, to);
  const frameCount = Math.max(1, Math.round((to - from) / pace));
  const lowerFrames = new Int32Array(frameCount);
  const upperFrames = new Int32Array(frameCount);
  const fractions = new Float32Array(frameCount);
  for (let j = 0; j < frameCount; j++) {
    const offset =
      sourcePositionAt === undefined
        ? ((j + 0.5) * (to - from)) / frameCount
        : sourcePositionAt((j + 0.5) / frameCount) * (to - from);
    const position = Math.min(Math.max(from + offset - 0.5, from), to - 1);
    lowerFrames[j] = Math.floor(position);
    upperFrames[j] = Math.min(Math.floor(position) + 1, to - 1);
    fractions[j] = position - Math.floor(position);
  }
  const interpolate = (rows: Float32Array): Float32Array => {
    const out = new Float32Array((rows.length / stride) * frameCount);
    for (let source = 0, target = 0; target < out.length; source += stride, target += frameCount) {
      for (let j = 0; j < frameCount; j++) {
        const a = rows[source + lowerFrames[j]!]!;
        out[target + j] = a + (rows[source + upperFrames[j]!]! - a) * fractions[j]!;
      }
    }
    return out;
  };
  const nearestFrames = lowerFrames.map((frame, j) =>
    fractions[j]! < 0.5 ? frame : upperFrames[j]!,
  );
  const pickNearest = (rows: Float32Array): Float32Array => {
    const out = new Float32Array((rows.length / stride) * frameCount);
    for (let source = 0, target = 0; target < out.length; source += stride, target += frameCount) {
      for (let j = 0; j < frameCount; j++) out[target + j] = rows[source + nearestFrames[j]!]!;
    }
    return out;
  };
  const phi = pickNearest(frames.phi);
  for (let j = 1; j < frameCount; j++) {
    if (nearestFrames[j] !== nearestFrames[j - 1]) continue;
    for (let i = j; i < phi.length; i += frameCount) phi[i] = 2 * Math.PI * random();
  }
  // No interpolation between voiced and voiceless frames: the pitch would glide down to 0 Hz.
  const f0Hz = interpolate(frames.f0Hz).map((pitch, j) => {
    const hasVoicelessNeighbor =
      Math.min(frames.f0Hz[lowerFrames[j]!]!, frames.f0Hz[upperFrames[j]!]!) <= minPitchHz;
    return hasVoicelessNeighbor ? frames.f0Hz[nearestFrames[j]!]! : pitch;
  });
  return {
    frameCount,
    stride: frameCount,
    lh: interpolate(frames.lh),
    ln: interpolate(frames.ln),
    lr: interpolate(frames.lr),
    theta: pickNearest(frames.theta),
    phi,
    f0Hz,
  };
}

/** Views of the same arrays from `from` on. */
function sliceFrames(
  { lh, ln, lr, theta, phi, f0Hz, stride }: AcousticFrames,
  from: number,
  to: number,
): AcousticFrames {
  return {
    frameCount: to - from,
    stride,
    lh: lh.subarray(from),
    ln: ln.subarray(from),
    lr: lr.subarray(from),
    theta: theta.subarray(from),
    phi: phi.subarray(from),
    f0Hz: f0Hz.subarray(from, to),
  };
}

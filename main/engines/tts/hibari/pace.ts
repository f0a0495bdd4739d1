// Which of the model's frames are spoken, and slower speech. The model's own speed input is left at 1, since it rounds
// every phoneme to 25 ms: asked for 1.33 it speaks 1.21 times as fast, asked for 1.36, 1.57 times. For slower speech
// its frames are read at another pace before they become sound, so that nothing is repeated; pitch is a figure of each
// frame and stays. Faster speech keeps its consonants better when the sound is stretched: audio/dsp/time-stretch.ts.

import type { AcousticFrames } from "./acoustic-model.ts";
import { fftSize, minPitchHz } from "./pulse-train.ts";

/** Frames `from` (included) to `to` (not included). */
export type FrameRange = { from: number; to: number };

/** The model's silence lies near −100 dBFS, its weakest consonants at −60. */
const silenceDbfs = -70;
/** Of the 601 bins every fourth is enough to tell speech from silence. */
const binStep = 4;

/** Where speech begins and ends, with a little of the silence around it; empty where there is none. */
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

/** About the level the frame will have, from the energy of its bins (Parseval; 0.375 is the squared window's mean). */
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
 * The range's n frames → n / pace: straight lines between the model's levels, the nearest frame's phases. `random` gives
 * the phases of the rest where a frame is used again: the same ones every 12.5 ms would buzz at 80 Hz. `sourcePositionAt`
 * moves moments within the range, both as parts of it.
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
  // Between voice and no voice there is no pitch in between: it would glide down to 0 Hz.
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

/** The same arrays, begun later. */
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

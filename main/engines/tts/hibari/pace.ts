// Which of the model's frames are spoken, and how fast. The model's own speed input is left at 1, since it rounds
// every phoneme to 25 ms: asked for 1.33 it speaks 1.21 times as fast, asked for 1.36, 1.57 times. Its frames are read
// at another pace instead, before they become sound; pitch is a figure of each frame and stays.

import type { AcousticFrames } from './acoustic-model.ts';
import { binCount, fftSize } from './frame-fft.ts';
import { lowestPitchHz } from './pulse-train.ts';

/** Frames `from` (included) to `to` (not included). */
export type FrameRange = { from: number; to: number };

/** The model's silence lies near −100 dBFS, its weakest consonants at −60. */
const silenceDbfs = -70;
/** Of the 601 bins every fourth is enough to tell speech from silence. */
const binStep = 4;

/** Where speech begins and ends, with a little of the silence around it; empty where there is none. */
export function spokenRange(frames: AcousticFrames, marginBefore: number, marginAfter: number): FrameRange {
  const { frameCount } = frames;
  let from = 0;
  while (from < frameCount && levelDbfs(frames, from) < silenceDbfs) from++;
  let to = frameCount;
  while (to > from && levelDbfs(frames, to - 1) < silenceDbfs) to--;
  if (from === to) return { from: 0, to: 0 };
  return { from: Math.max(0, from - marginBefore), to: Math.min(frameCount, to + marginAfter) };
}

/** About the level the frame will have, from the energy of its bins (Parseval; 0.375 is the squared window's mean). */
function levelDbfs({ lh, ln, lr, f0Hz, frameCount }: AcousticFrames, frame: number): number {
  const voiced = f0Hz[frame]! > lowestPitchHz;
  let energy = 0;
  for (let i = frame; i < lh.length; i += binStep * frameCount) {
    energy += 2 * Math.exp(2 * ln[i]!) + Math.exp(2 * lr[i]!) + (voiced ? Math.exp(2 * lh[i]!) / 2 : 0);
  }
  return 10 * Math.log10((2 * binStep * energy) / (0.375 * fftSize * fftSize) + 1e-20);
}

/** The range's n frames → n / pace, straight lines between the model's; the rest's phase is the nearest frame's. */
export function atPace(frames: AcousticFrames, { from, to }: FrameRange, pace: number): AcousticFrames {
  const stride = frames.frameCount;
  const frameCount = Math.max(1, Math.round((to - from) / pace));
  const before = new Int32Array(frameCount);
  const after = new Int32Array(frameCount);
  const part = new Float32Array(frameCount);
  for (let j = 0; j < frameCount; j++) {
    const place = Math.min(Math.max(from + ((j + 0.5) * (to - from)) / frameCount - 0.5, from), to - 1);
    before[j] = Math.floor(place);
    after[j] = Math.min(Math.floor(place) + 1, to - 1);
    part[j] = place - Math.floor(place);
  }
  const between = (rows: Float32Array): Float32Array => {
    const out = new Float32Array((rows.length / stride) * frameCount);
    for (let source = 0, target = 0; target < out.length; source += stride, target += frameCount) {
      for (let j = 0; j < frameCount; j++) {
        const a = rows[source + before[j]!]!;
        out[target + j] = a + (rows[source + after[j]!]! - a) * part[j]!;
      }
    }
    return out;
  };
  const phi = new Float32Array(binCount * frameCount);
  for (let k = 0; k < binCount; k++) {
    for (let j = 0; j < frameCount; j++) {
      phi[k * frameCount + j] = frames.phi[k * stride + (part[j]! < 0.5 ? before[j]! : after[j]!)]!;
    }
  }
  return {
    frameCount,
    lh: between(frames.lh),
    ln: between(frames.ln),
    lr: between(frames.lr),
    theta: between(frames.theta),
    phi,
    f0Hz: between(frames.f0Hz),
  };
}

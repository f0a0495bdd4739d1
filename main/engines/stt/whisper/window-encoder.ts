// Encodes windows, several of one batch only as long as their speech needs.

import { secPerFrame, type WhisperConfiguration } from "./configuration.ts";
import type { EncodedWindow, FrameRange } from "./decoding.ts";
import type { Graphs } from "./graphs.ts";
import { createLogMel } from "./log-mel.ts";
import { sampleRateHz, type Span } from "./windows.ts";

/**
 * Minimum length of a shortened window, and margin after its speech. Measured over 25 clips in five languages: 19.7 %
 * word errors with shortened windows, 19.8 % with 30 s, in less than half the time.
 */
const minEncodedSec = 8;
const trailingMarginSec = 1;
export const encoderFramesPerSec = 1 / secPerFrame;

/** Length of a shortened window with these samples, if nothing longer is encoded with it. */
export const shortenedSec = (samples: Float32Array): number =>
  Math.max(minEncodedSec, samples.length / sampleRateHz + trailingMarginSec);

/**
 * Encodes windows as a batch: with `isFullLength` at the length used in training, otherwise only as long as the
 * longest.
 */
type EncodeWindows = (
  windows: readonly Float32Array[],
  isFullLength: boolean,
  signal: AbortSignal,
) => Promise<EncodedWindow[]>;

export function createWindowEncoder(
  graphs: Graphs,
  configuration: WhisperConfiguration,
): EncodeWindows {
  const logMel = createLogMel({ melBands: configuration.melBands });
  return async (windows, isFullLength, signal) => {
    const frameCounts = windows.map((samples) =>
      Math.min(
        configuration.encoderFrames,
        Math.max(1, Math.ceil((samples.length / sampleRateHz) * encoderFramesPerSec)),
      ),
    );
    const neededFrames = Math.max(
      ...windows.map((samples) => Math.ceil(shortenedSec(samples) * encoderFramesPerSec)),
    );
    const length =
      graphs.supportsShortWindows && !isFullLength
        ? Math.min(configuration.encoderFrames, neededFrames)
        : configuration.encoderFrames;
    const encoded: EncodedWindow[] = [];
    for (const [index, samples] of windows.entries()) {
      signal.throwIfAborted();
      // Two feature frames are one encoder frame.
      encoded.push({
        states: await graphs.encode(logMel(samples, 2 * length)),
        frames: frameCounts[index] as number,
      });
    }
    return encoded;
  };
}

/** Encoder frames of a part of a window that has `frames`. */
export function toFrameRange({ windowSec, lengthSec }: Span, frames: number): FrameRange {
  const from = Math.min(frames - 1, Math.floor(windowSec * encoderFramesPerSec));
  const to = Math.ceil((windowSec + lengthSec) * encoderFramesPerSec);
  return { from, to: Math.min(frames, Math.max(from + 1, to)) };
}

// Packs speech segments into windows, so that neighbours are decoded with their context, and maps positions in a window
// to the file.

import { joinSamples } from "../../../audio/codec/pcm.ts";
import type { SpeechSegment } from "../../engine.ts";

export const sampleRateHz = 16_000;
/** Maximum input of the model. */
export const windowSamples = 30 * sampleRateHz;

/** A segment, or a part of one, in a window. */
export type Span = {
  /** Index of the segment. */
  speechSegmentIndex: number;
  /** Start of its samples in the file and in the window, in seconds. Silence may lie between spans. */
  fileSec: number;
  windowSec: number;
  lengthSec: number;
};

export type Window = { spans: readonly Span[]; samples: Float32Array };

/**
 * @param maxPauseSec segments further apart get separate windows: speaker or language may differ
 * @param maxPackedSec several segments fill at most this; a single one may be longer
 */
export function packWindows(
  speechSegments: readonly SpeechSegment[],
  maxPauseSec: number,
  maxPackedSec: number,
): Window[] {
  const windows: Window[] = [];
  let spans: Span[] = [];
  let parts: Float32Array[] = [];
  let sampleCount = 0;
  let lastEndSec = -Infinity;
  const closeWindow = (): void => {
    if (spans.length > 0) windows.push({ spans, samples: joinSamples(parts) });
    spans = [];
    parts = [];
    sampleCount = 0;
  };
  for (const [
    speechSegmentIndex,
    { samples, offsetSec, startSec, endSec },
  ] of speechSegments.entries()) {
    if (
      sampleCount + samples.length > maxPackedSec * sampleRateHz ||
      startSec - lastEndSec > maxPauseSec
    )
      closeWindow();
    lastEndSec = endSec;
    for (let from = 0; from < samples.length; from += windowSamples) {
      const part = samples.subarray(from, from + windowSamples);
      if (sampleCount + part.length > windowSamples) closeWindow();
      spans.push({
        speechSegmentIndex,
        fileSec: offsetSec + from / sampleRateHz,
        windowSec: sampleCount / sampleRateHz,
        lengthSec: part.length / sampleRateHz,
      });
      parts.push(part);
      sampleCount += part.length;
    }
  }
  closeWindow();
  return windows;
}

/**
 * All segments in file order with the silence around them, as one window; undefined if they do not fit in one, or a
 * pause is longer than `maxPauseSec`.
 */
export function createSingleWindow(
  speechSegments: readonly SpeechSegment[],
  maxPauseSec: number,
): Window | undefined {
  const spans: Span[] = [];
  const parts: Float32Array[] = [];
  let sampleCount = 0;
  const addPart = (part: Float32Array | undefined): void => {
    if (part === undefined) return;
    parts.push(part);
    sampleCount += part.length;
  };
  for (const [
    speechSegmentIndex,
    { before, samples, after, offsetSec, startSec },
  ] of speechSegments.entries()) {
    if (startSec - (speechSegments[speechSegmentIndex - 1]?.endSec ?? startSec) > maxPauseSec)
      return undefined;
    addPart(before);
    spans.push({
      speechSegmentIndex,
      fileSec: offsetSec,
      windowSec: sampleCount / sampleRateHz,
      lengthSec: samples.length / sampleRateHz,
    });
    addPart(samples);
    addPart(after);
  }
  return spans.length > 0 && sampleCount <= windowSamples
    ? { spans, samples: joinSamples(parts) }
    : undefined;
}

/** The window after `fromSec`, as a window of its own; undefined if it has almost no speech. */
export function remainingWindow({ spans, samples }: Window, fromSec: number): Window | undefined {
  const remainingSpans = spans.filter(
    ({ windowSec, lengthSec }) => windowSec + lengthSec > fromSec,
  );
  const last = remainingSpans.at(-1);
  if (last === undefined || last.windowSec + last.lengthSec - fromSec < minRemainingSec)
    return undefined;
  return {
    samples: samples.subarray(Math.round(fromSec * sampleRateHz)),
    spans: remainingSpans.map(({ speechSegmentIndex, fileSec, windowSec, lengthSec }) => {
      const cutSec = Math.max(0, fromSec - windowSec);
      return {
        speechSegmentIndex: speechSegmentIndex,
        fileSec: fileSec + cutSec,
        windowSec: windowSec + cutSec - fromSec,
        lengthSec: lengthSec - cutSec,
      };
    }),
  };
}

const minRemainingSec = 0.2;

/** Neighbouring spans of a window, as a window of their own. */
export function createSubWindow({ samples }: Window, spans: readonly [Span, ...Span[]]): Window {
  const [{ windowSec: fromSec }] = spans;
  const toSec = spans.reduce(
    (end, { windowSec, lengthSec }) => Math.max(end, windowSec + lengthSec),
    fromSec,
  );
  return {
    samples: samples.subarray(Math.round(fromSec * sampleRateHz), Math.round(toSec * sampleRateHz)),
    spans: spans.map((span) => ({ ...span, windowSec: span.windowSec - fromSec })),
  };
}

/** The span at a position in the window; the last one for positions after it. */
export function findSpanAt({ spans }: Window, sec: number): Span {
  return (spans.findLast(({ windowSec }) => windowSec <= sec) ?? spans[0]) as Span;
}

/** Converts a position in a window to a time in the file. */
export const toFileSec = (sec: number, { fileSec, windowSec, lengthSec }: Span): number =>
  fileSec + Math.min(Math.max(0, sec - windowSec), lengthSec);

// A recording as the app cuts it, for recognisers that are given the same pieces without the app.

import type { SpeechSegmentSpan } from "../../main/audio/dsp/vad-segmenter.ts";
import { loadVad } from "../../main/engines/engine-list.ts";
import { openSpeechSegmentation } from "../../main/engines/pool/speech-segmentation.ts";
import { modelBundle } from "../../main/models/store.ts";

/** The pieces of a media file, whose samples are left at `pcmPath`. */
export async function cutRecording(
  mediaPath: string,
  pcmPath: string,
): Promise<SpeechSegmentSpan[]> {
  const silero = await loadVad(modelBundle("silero-vad"));
  const listening = openSpeechSegmentation(silero, mediaPath, pcmPath);
  const segments: SpeechSegmentSpan[] = [];
  try {
    // The windows the local channel asks for: short at first, then a minute.
    for (let windowSec = 6, ended = false; !ended; windowSec = Math.min(60, windowSec * 2)) {
      const step = await listening.step(windowSec, new AbortController().signal);
      segments.push(...step.speechSegments);
      ({ ended } = step);
    }
  } finally {
    listening.close();
    await silero.close();
  }
  return segments;
}

/** Pieces in groups of at most `size`. */
export const toBatches = (
  segments: readonly SpeechSegmentSpan[],
  size: number,
): SpeechSegmentSpan[][] =>
  Array.from({ length: Math.ceil(segments.length / size) }, (_, batch) =>
    segments.slice(batch * size, (batch + 1) * size),
  );

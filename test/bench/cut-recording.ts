// Cuts a recording into speech segments as the app does, for recognizers that run without the app.

import type { SpeechSegmentSpan } from "../../main/audio/dsp/vad-segmenter.ts";
import { loadVad } from "../../main/engines/engine-list.ts";
import { openSpeechSegmentation } from "../../main/engines/pool/speech-segmentation.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";

/** The speech segments of a media file. Its samples are written to `pcmPath`. */
export async function cutRecording(
  mediaPath: string,
  pcmPath: string,
): Promise<SpeechSegmentSpan[]> {
  const silero = await loadVad(shippedModel("silero-vad"));
  const listening = openSpeechSegmentation(silero, mediaPath, pcmPath);
  const segments: SpeechSegmentSpan[] = [];
  try {
    // The same window lengths as in the local channel: short at first, then up to a minute.
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

/** Groups segments into batches of at most `size`. */
export const toBatches = (
  segments: readonly SpeechSegmentSpan[],
  size: number,
): SpeechSegmentSpan[][] =>
  Array.from({ length: Math.ceil(segments.length / size) }, (_, batch) =>
    segments.slice(batch * size, (batch + 1) * size),
  );

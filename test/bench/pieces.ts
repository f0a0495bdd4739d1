// A recording as the app cuts it, for recognisers that are given the same pieces without the app.

import type { PieceSpan } from "../../main/audio/dsp/segments.ts";
import { loadVoiceActivity } from "../../main/engines/engine-list.ts";
import { openListening } from "../../main/engines/pool/listening.ts";
import { modelBundle } from "../../main/models/store.ts";

/** The pieces of a media file, whose samples are left at `pcmPath`. */
export async function cutRecording(mediaPath: string, pcmPath: string): Promise<PieceSpan[]> {
  const silero = await loadVoiceActivity(modelBundle("silero-vad"));
  const listening = openListening(silero, mediaPath, pcmPath);
  const found: PieceSpan[] = [];
  try {
    // The windows the local channel asks for: short at first, then a minute.
    for (let windowSec = 6, ended = false; !ended; windowSec = Math.min(60, windowSec * 2)) {
      const step = await listening.step(windowSec, new AbortController().signal);
      found.push(...step.pieces);
      ({ ended } = step);
    }
  } finally {
    listening.close();
    await silero.close();
  }
  return found;
}

/** Pieces in groups of at most `size`. */
export const batchesOf = (pieces: readonly PieceSpan[], size: number): PieceSpan[][] =>
  Array.from({ length: Math.ceil(pieces.length / size) }, (_, batch) =>
    pieces.slice(batch * size, (batch + 1) * size),
  );

// Measures audio that a provider received or generated, in a child process, if the provider reports no duration.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { SpeechChunk, TranscriptionEvent } from "../contract/speech.ts";
import { openForWriting } from "../storage/disk.ts";

/** Seconds of a media file. `isExact`: decode it instead of trusting its header. */
export type MeasureMedia = (
  mediaPath: string,
  signal: AbortSignal,
  options?: { isExact: boolean },
) => Promise<number>;

/** Timeout for measuring after the client has disconnected. */
const maxMeasurementMs = 30_000;

/**
 * Adds the file's duration to a transcript without one. Also measures it if the request was aborted or failed but may
 * be charged for.
 */
export async function* addMediaDuration(
  events: AsyncIterable<TranscriptionEvent>,
  measure: (stopSignal: AbortSignal) => Promise<number>,
  attempt: { mediaSec?: number },
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  let isDone = false;
  let mayBeCharged = false;
  try {
    for await (const event of events) {
      isDone ||= event.type === "done";
      if (event.type !== "done" || event.transcript.durationSec > 0) yield event;
      // If this machine cannot decode the file, the text is returned without a duration.
      else
        yield {
          ...event,
          transcript: {
            ...event.transcript,
            durationSec: attempt.mediaSec ?? (await measure(signal).catch(() => 0)),
          },
        };
    }
  } catch (error) {
    mayBeCharged = error instanceof AppError && error.mayBeCharged;
    throw error;
  } finally {
    const needsMeasurement =
      attempt.mediaSec === undefined && !isDone && (signal.aborted || mayBeCharged);
    const measuredSec = needsMeasurement
      ? await measure(AbortSignal.timeout(maxMeasurementMs)).catch(() => undefined)
      : undefined;
    if (measuredSec !== undefined) attempt.mediaSec = measuredSec;
  }
}

/**
 * Measures generated audio and reports its duration after the last bytes. Also measures it if the caller stops early.
 */
export async function* addAudioDuration(
  chunks: AsyncIterable<SpeechChunk>,
  attempt: { mediaSec?: number },
  { mediaSec, tempDir }: { mediaSec: MeasureMedia; tempDir: () => string },
): AsyncGenerator<SpeechChunk, void, undefined> {
  const path = join(tempDir(), `spoken-${randomUUID()}`);
  const file = await openForWriting(path, "wx", 0o600);
  try {
    let isComplete = false;
    try {
      for await (const chunk of chunks) {
        await file.writeFile(chunk.bytes);
        yield { ...chunk, audioSec: undefined };
      }
      isComplete = true;
    } finally {
      // If the audio cannot be decoded, the estimated duration is billed.
      const measuredSec = await mediaSec(path, AbortSignal.timeout(maxMeasurementMs), {
        isExact: true,
      }).catch(() => undefined);
      if (measuredSec !== undefined) attempt.mediaSec = measuredSec;
      if (isComplete) yield { bytes: new Uint8Array(0), audioSec: measuredSec, progress: 1 };
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

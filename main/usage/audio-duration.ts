// How long sound is that a provider was sent or made, where it does not tell: measured by a child process.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { SpeechChunk, TranscriptionEvent } from "../contract/speech.ts";
import { openForWriting } from "../storage/disk.ts";

/** Seconds of a media file. `isExact`: by decoding it, whatever its header says. */
export type MeasureMedia = (
  mediaPath: string,
  signal: AbortSignal,
  options?: { isExact: boolean },
) => Promise<number>;

/** Nobody waits any more for the length of what a client left. */
const maxMeasurementMs = 30_000;

/** Gives the transcript the length of its file where the provider did not; notes it too where no transcript came. */
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
      // Text that came is worth more than its length, which a file this machine cannot read does not tell.
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

/** Adds the length of what was spoken behind the last bytes, and notes it also where the rest was not waited for. */
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
      // Sound that cannot be decoded counts as much as was expected.
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

// Live transcription: runs VAD on a growing recording and transcribes each speech segment when it ends. After a
// failure, or if it falls behind, the rest is transcribed when the recording has ended.

import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import type { SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { PinnedChild, PoolJob } from "../../engines/pool/pool.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import type { Log } from "../../log.ts";
import { writeFile } from "../../storage/disk.ts";
import { transcribePart, type TranscribeRangeDeps } from "./transcribe-range.ts";
import { headerBytes, sampleRateHz } from "./recording-file.ts";

export type LiveTranscription = {
  /** `samples`: number of samples on disk. */
  onSamplesWritten(samples: number): void;
  /** Aborts the current work. */
  close(): Promise<void>;
};

export type LiveTranscriptionDeps = TranscribeRangeDeps & { vad: InstalledModel; log: Log };

export type LiveTranscriptionOptions = {
  recordingPath: string;
  options: TranscribeOptions;
  /** In time order. */
  onSegments(segments: readonly TranscribedSegment[]): Promise<void>;
  onChannelSelected: (channel: string) => void;
};

export function createLiveTranscription(
  deps: LiveTranscriptionDeps,
  { recordingPath, options, onSegments, onChannelSelected }: LiveTranscriptionOptions,
): LiveTranscription {
  const stop = new AbortController();
  const job: PoolJob = deps.pool.job(stop.signal);
  const child: PinnedChild = job.pin();
  let availableSamples = 0;
  let processedSamples = 0;
  let detection: Promise<void> | undefined;
  let transcriptions: Promise<void> = Promise.resolve();

  async function detectSpeech(): Promise<void> {
    const { session } = child;
    if (processedSamples === 0) await child.run("segment-live.open", { session, vad: deps.vad });
    while (processedSamples < availableSamples) {
      const endSample = availableSamples;
      const speechSegments = await child.run("segment-live.step", {
        session,
        path: recordingPath,
        fromByte: toByteOffset(processedSamples),
        toByte: toByteOffset(endSample),
      });
      processedSamples = endSample;
      for (const speechSegment of speechSegments)
        transcriptions = transcriptions.then(() => transcribeSegment(speechSegment));
      transcriptions.catch(stopAfterFailure);
    }
  }

  async function transcribeSegment(speechSegment: SpeechSegmentSpan): Promise<void> {
    stop.signal.throwIfAborted();
    const wavPath = join(deps.tempDir(), `live-${randomUUID()}.wav`);
    try {
      await copyRange(recordingPath, wavPath, speechSegment);
      const { fromSec, toSec } = speechSegment;
      const segments: TranscribedSegment[] = [];
      for await (const update of transcribePart(
        deps,
        { path: wavPath, fromSec, toSec, speech: speechSegment },
        { options, stream: false, onChannelSelected },
        stop.signal,
      ))
        segments.push(...update.segments);
      if (segments.length > 0) await onSegments(segments);
    } finally {
      await rm(wavPath, { force: true });
    }
  }

  function stopAfterFailure(error: unknown): void {
    if (!stop.signal.aborted) deps.log.warn({ err: error }, "live transcription failed");
    stop.abort();
    child.release();
  }

  return {
    onSamplesWritten(samples) {
      availableSamples = samples;
      if (stop.signal.aborted || detection !== undefined) return;
      detection = detectSpeech()
        .catch(stopAfterFailure)
        .finally(() => {
          detection = undefined;
        });
    },
    async close() {
      stop.abort();
      await Promise.allSettled([detection, transcriptions]);
      child.release();
    },
  };
}

const toByteOffset = (sample: number): number => headerBytes + sample * 2;

/** Copies a range of the growing recording into a file of its own. */
async function copyRange(
  recordingPath: string,
  wavPath: string,
  { fromSec, toSec }: SpeechSegmentSpan,
): Promise<void> {
  const [from, to] = [
    toByteOffset(Math.round(fromSec * sampleRateHz)),
    toByteOffset(Math.round(toSec * sampleRateHz)),
  ];
  const file = await open(recordingPath);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    await writeFile(
      wavPath,
      joinBytes([wavHeader(sampleRateHz, bytesRead / 2), buffer.subarray(0, bytesRead)]),
    );
  } finally {
    await file.close();
  }
}

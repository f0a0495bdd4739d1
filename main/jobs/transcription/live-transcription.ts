// Live transcription of a growing recording. After a failure, or if it falls behind, the rest is transcribed when the
// recording has ended.

import { open } from "node:fs/promises";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import type { Log } from "../../log.ts";
import type { Draft } from "./live/live-recognizer.ts";
import { createLiveSession } from "./live/live-session.ts";
import { createModelRecognizer } from "./live/model-recognizer.ts";
import type { TranscribeRangeDeps } from "./transcribe-range.ts";
import { headerBytes } from "./recording-file.ts";

export type LiveTranscription = {
  /** `samples`: number of samples on disk. */
  onSamplesWritten(samples: number): void;
  /** Aborts the current work. */
  close(): Promise<void>;
};

export type LiveTranscriptionDeps = TranscribeRangeDeps & { log: Log };

export type LiveTranscriptionOptions = {
  recordingPath: string;
  options: TranscribeOptions;
  /** Speech that goes on; without text when its segments are there. */
  onDraft(draft: Draft): void;
  /** In time order. */
  onSegments(segments: readonly TranscribedSegment[]): Promise<void>;
  onSentTo: (channel: string) => void;
};

export function createLiveTranscription(
  deps: LiveTranscriptionDeps,
  { recordingPath, options, onDraft, onSegments, onSentTo }: LiveTranscriptionOptions,
): LiveTranscription {
  const session = createLiveSession({
    recognizer: createModelRecognizer(deps, { options, caller: "window", onSentTo }),
    read: (from, to) => readSamples(recordingPath, from, to),
    onDraft,
    async onSettled(startSec, segments) {
      if (segments.length > 0) await onSegments(segments);
      onDraft({ startSec, settled: "", unsettled: "" });
    },
    onFailure: (error, what) => deps.log.warn({ err: error }, `live transcription failed: ${what}`),
  });
  return { onSamplesWritten: session.onSamples, close: session.close };
}

async function readSamples(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const length = (to - from) * 2;
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(length),
      0,
      length,
      headerBytes + from * 2,
    );
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

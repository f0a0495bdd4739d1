// Live transcription of a growing recording. After a failure, or if it falls behind, the rest is transcribed when the
// recording has ended.

import { open } from "node:fs/promises";
import type { DocumentOptions } from "../../contract/transcript-document.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import type { Log } from "../../log.ts";
import type { Draft } from "./live/live-recognizer.ts";
import { createLiveSession, type LiveSession } from "./live/live-session.ts";
import { createModelRecognizer } from "./live/model-recognizer.ts";
import type { TranscribeRangeDeps } from "./transcribe-range.ts";
import { headerBytes, type RecordingFile } from "./recording-file.ts";
import { labelTrack, pickChannel } from "./tracks.ts";

export type LiveTranscription = {
  /** `samples`: number of samples on disk. */
  onSamplesWritten(samples: number): void;
  /** Aborts the current work. */
  close(): Promise<void>;
};

export type LiveTranscriptionDeps = TranscribeRangeDeps & { log: Log };

export type LiveTranscriptionOptions = {
  recording: Pick<RecordingFile, "path" | "channels">;
  options: DocumentOptions;
  /** Speech that goes on; without text when its segments are there. */
  onDraft(draft: Draft & { speaker?: string }): void;
  /** In time order, those of each track. */
  onSegments(segments: readonly TranscribedSegment[]): Promise<void>;
  onSentTo: (channel: string) => void;
};

export function createLiveTranscription(
  deps: LiveTranscriptionDeps,
  options: LiveTranscriptionOptions,
): LiveTranscription {
  const sessions = Array.from({ length: options.recording.channels }, (_, channel) =>
    transcribeChannel(deps, options, channel),
  );
  return {
    onSamplesWritten: (samples) => sessions.forEach((session) => session.onSamples(samples)),
    close: async () => void (await Promise.all(sessions.map((session) => session.close()))),
  };
}

function transcribeChannel(
  deps: LiveTranscriptionDeps,
  { recording, options, onDraft, onSegments, onSentTo }: LiveTranscriptionOptions,
  channel: number,
): LiveSession {
  const { tracks, ...transcribeOptions } = options;
  const speaker = tracks?.[channel];
  const showDraft = (draft: Draft): void => onDraft({ ...draft, ...(speaker && { speaker }) });
  return createLiveSession({
    recognizer: createModelRecognizer(deps, {
      options: transcribeOptions,
      caller: "window",
      onSentTo,
    }),
    read: (from, to) => readSamples(recording, channel, from, to),
    onDraft: showDraft,
    async onSettled(startSec, segments) {
      if (segments.length > 0) await onSegments(labelTrack(segments, tracks, channel));
      showDraft({ startSec, settled: "", unsettled: "" });
    },
    onFailure: (error, what) => deps.log.warn({ err: error }, `live transcription failed: ${what}`),
  });
}

async function readSamples(
  { path, channels }: Pick<RecordingFile, "path" | "channels">,
  channel: number,
  from: number,
  to: number,
): Promise<Uint8Array> {
  const file = await open(path);
  const frameBytes = channels * 2;
  try {
    const length = (to - from) * frameBytes;
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(length),
      0,
      length,
      headerBytes + from * frameBytes,
    );
    return pickChannel(buffer.subarray(0, bytesRead), channel, channels);
  } finally {
    await file.close();
  }
}

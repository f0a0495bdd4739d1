// A transcript in the formats of /v1. The JSON formats list failed ranges as `partial` and `failed`.

import type {
  SegmentObject,
  TranscriptEvent,
  TranscriptFormat,
  TranscriptionResponse,
  VerboseTranscriptionResponse,
} from "../contract/openai.ts";
import type { Transcript, TranscriptionJob } from "../contract/speech.ts";
import { separatorBeforeSegment } from "../contract/transcript.ts";
import { toSrt, toVtt } from "./subtitles.ts";

export type TranscriptResponseOptions = {
  task: TranscriptionJob["task"];
  format: TranscriptFormat;
  /** Timestamps in `verbose_json`; segments if empty. */
  granularities: readonly ("word" | "segment")[];
};

/** Plain text, or subtitles with one cue per segment. */
export function toTranscriptText(
  { text, segments: ownSegments, durationSec }: Transcript,
  format: "text" | "srt" | "vtt",
): string {
  // If a provider returns no times, the whole text is one cue.
  const segments =
    ownSegments.length === 0 && text !== ""
      ? [{ startSec: 0, endSec: durationSec, text }]
      : ownSegments;
  if (format === "srt") return toSrt(segments);
  if (format === "vtt") return toVtt(segments);
  return `${text.trim()}\n`;
}

const usage = ({ durationSec }: Transcript) => ({
  type: "duration" as const,
  seconds: Math.ceil(durationSec),
});

function partialFields({ failed }: Transcript): Pick<TranscriptionResponse, "partial" | "failed"> {
  if (failed.length === 0) return {};
  return {
    partial: true,
    failed: failed.map(({ startSec, endSec, message }) => ({
      start: roundToMs(startSec),
      end: roundToMs(endSec),
      message,
    })),
  };
}

/** `json` */
export function toTranscriptionResponse(transcript: Transcript): TranscriptionResponse {
  return { text: transcript.text.trim(), usage: usage(transcript), ...partialFields(transcript) };
}

export function toDoneEvent(transcript: Transcript): TranscriptEvent {
  return { type: "transcript.text.done", ...toTranscriptionResponse(transcript) };
}

/** `verbose_json` */
export function toVerboseResponse(
  transcript: Transcript,
  { task, granularities }: Pick<TranscriptResponseOptions, "task" | "granularities">,
): VerboseTranscriptionResponse {
  const words = granularities.includes("word");
  return {
    task,
    // For a translation, the language of its text.
    language: task === "translate" ? "english" : transcript.language,
    duration: roundToMs(transcript.durationSec),
    text: transcript.text.trim(),
    ...(!words || granularities.includes("segment")
      ? { segments: transcript.segments.map((segment, id) => toSegmentObject(segment, id, task)) }
      : {}),
    ...(words ? { words: toWordObjects(transcript) } : {}),
    usage: usage(transcript),
    ...partialFields(transcript),
  };
}

function toSegmentObject(
  segment: Transcript["segments"][number],
  id: number,
  task: TranscriptionJob["task"],
): SegmentObject {
  return {
    id,
    seek: segment.seekFrames,
    start: roundToMs(segment.startSec),
    end: roundToMs(segment.endSec),
    // With leading space, as in Whisper's tokens, so that the joined segments equal the text.
    text: separatorBeforeSegment(segment, task) + segment.text,
    tokens: segment.tokens,
    temperature: segment.temperature,
    avg_logprob: segment.avgLogprob,
    compression_ratio: segment.compressionRatio,
    no_speech_prob: segment.noSpeechProb,
  };
}

const toWordObjects = ({ segments }: Transcript) =>
  segments.flatMap(({ words = [] }) =>
    words.map(({ word, startSec, endSec }) => ({
      word,
      start: roundToMs(startSec),
      end: roundToMs(endSec),
    })),
  );

/** Rounds seconds to milliseconds, to hide floating-point noise. */
const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000;

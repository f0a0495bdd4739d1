// A transcript in the formats of /v1. The JSON formats list failed ranges as `partial` and `failed`.

import { separatorBefore } from "../contract/languages.ts";
import type {
  SegmentObject,
  TranscriptEvent,
  TranscriptFormat,
  TranscriptionResponse,
  VerboseTranscriptionResponse,
} from "../contract/openai.ts";
import type { Transcript, TranscriptionJob } from "../contract/speech.ts";
import { toSrt, toVtt } from "./subtitles.ts";

export type TranscriptShape = {
  task: TranscriptionJob["task"];
  format: TranscriptFormat;
  /** Timestamps in `verbose_json`; segments if empty. */
  granularities: readonly ("word" | "segment")[];
};

/** Plain text, or subtitles with one cue per segment. */
export function textTranscript(
  { text, segments: found, durationSec }: Transcript,
  format: "text" | "srt" | "vtt",
): string {
  // If a provider returns no times, the whole text is one cue.
  const segments =
    found.length === 0 && text !== "" ? [{ startSec: 0, endSec: durationSec, text }] : found;
  if (format === "srt") return toSrt(segments);
  if (format === "vtt") return toVtt(segments);
  return `${text.trim()}\n`;
}

const usage = ({ durationSec }: Transcript) => ({
  type: "duration" as const,
  seconds: Math.ceil(durationSec),
});

function incompleteness({ failed }: Transcript): Pick<TranscriptionResponse, "partial" | "failed"> {
  if (failed.length === 0) return {};
  return {
    partial: true,
    failed: failed.map(({ startSec, endSec, message }) => ({
      start: ms(startSec),
      end: ms(endSec),
      message,
    })),
  };
}

/** `json` */
export function plainTranscript(transcript: Transcript): TranscriptionResponse {
  return { text: transcript.text.trim(), usage: usage(transcript), ...incompleteness(transcript) };
}

export function doneEvent(transcript: Transcript): TranscriptEvent {
  return { type: "transcript.text.done", ...plainTranscript(transcript) };
}

/** `verbose_json` */
export function verboseTranscript(
  transcript: Transcript,
  { task, granularities }: Pick<TranscriptShape, "task" | "granularities">,
): VerboseTranscriptionResponse {
  const words = granularities.includes("word");
  return {
    task,
    // For a translation, the language of its text.
    language: task === "translate" ? "english" : transcript.language,
    duration: ms(transcript.durationSec),
    text: transcript.text.trim(),
    ...(!words || granularities.includes("segment")
      ? { segments: transcript.segments.map((segment, id) => segmentShape(segment, id, task)) }
      : {}),
    ...(words ? { words: wordShapes(transcript) } : {}),
    usage: usage(transcript),
    ...incompleteness(transcript),
  };
}

function segmentShape(
  segment: Transcript["segments"][number],
  id: number,
  task: TranscriptionJob["task"],
): SegmentObject {
  return {
    id,
    seek: segment.seekFrames,
    start: ms(segment.startSec),
    end: ms(segment.endSec),
    // With leading space, as in Whisper's tokens, so that the joined segments equal the text.
    text: separatorBefore(task === "translate" ? "en" : segment.language) + segment.text,
    tokens: segment.tokens,
    temperature: segment.temperature,
    avg_logprob: segment.avgLogprob,
    compression_ratio: segment.compressionRatio,
    no_speech_prob: segment.noSpeechProb,
  };
}

const wordShapes = ({ segments }: Transcript) =>
  segments.flatMap(({ words = [] }) =>
    words.map(({ word, startSec, endSec }) => ({ word, start: ms(startSec), end: ms(endSec) })),
  );

/** Rounds seconds to milliseconds, to hide floating-point noise. */
const ms = (seconds: number) => Math.round(seconds * 1000) / 1000;

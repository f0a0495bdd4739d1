// A transcript in the formats of /v1. What could not be transcribed is listed in the JSON ones, as `partial` and `failed`.

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
  /** Which times `verbose_json` gives; none asked for: segments. */
  granularities: readonly ("word" | "segment")[];
};

/** Plain text, or one subtitle cue a segment. */
export function textTranscript(
  { text, segments: found, durationSec }: Transcript,
  format: "text" | "srt" | "vtt",
): string {
  // A provider that tells no times leaves one caption for all of it.
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
    // Of a translation, the language of the text it gives.
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
    // As Whisper's own tokens have it, so that joined segments are the text.
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

/** Seconds to the millisecond, without the noise of binary fractions. */
const ms = (seconds: number) => Math.round(seconds * 1000) / 1000;

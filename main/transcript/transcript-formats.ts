// A transcript in the formats of /v1. The JSON formats list failed ranges as `partial` and `failed`.

import type {
  DiarizedSegment,
  DiarizedTranscriptionResponse,
  SegmentObject,
  TranscriptEvent,
  TranscriptFormat,
  TranscriptionResponse,
  VerboseTranscriptionResponse,
} from "../contract/openai.ts";
import type { Transcript, TranscriptionJob, TranscriptSegment } from "../contract/speech.ts";
import { speakerLetters } from "../contract/speakers.ts";
import { separatorBeforeSegment } from "../contract/transcript.ts";
import { toSrt, toVtt } from "./subtitles.ts";

export type TranscriptResponseOptions = {
  task: TranscriptionJob["task"];
  format: TranscriptFormat;
  /** Timestamps in `verbose_json`; segments if empty. */
  granularities: readonly ("word" | "segment")[];
};

/** Plain text, or subtitles with one cue per segment. Speakers are named where they change, in WebVTT in every cue. */
export function toTranscriptText(
  { text, segments, durationSec }: Transcript,
  format: "text" | "srt" | "vtt",
): string {
  const named = segments.map((segment, index) => ({
    ...segment,
    prefix:
      segment.speaker === undefined || segment.speaker === segments[index - 1]?.speaker
        ? ""
        : `${segment.speaker}: `,
  }));
  // If a provider returns no times, the whole text is one cue.
  const cues =
    segments.length === 0 && text !== "" ? [{ startSec: 0, endSec: durationSec, text }] : named;
  if (format === "vtt") return toVtt(cues);
  if (format === "srt")
    return toSrt(
      cues.map((cue) => ("prefix" in cue ? { ...cue, text: cue.prefix + cue.text } : cue)),
    );
  if (named.every(({ prefix }) => prefix === "")) return `${text.trim()}\n`;
  return named
    .map(
      (segment) => `${segment.prefix === "" ? " " : `\n${segment.prefix}`}${segment.text.trim()}`,
    )
    .join("")
    .trimStart()
    .concat("\n");
}

/** Fields are separated by spaces; some readers take control characters for ends of lines. */
const toField = (text: string): string => text.trim().replaceAll(/[\s\p{Cc}]+/gu, "_") || "_";

/** NIST's Rich Transcription Time Marked: a line for each turn. */
export const toRttm = ({ turns = [] }: Pick<Transcript, "turns">, name: string): string =>
  turns
    .map(({ fromSec, toSec, speaker }) =>
      [
        "SPEAKER",
        toField(name),
        1,
        fromSec.toFixed(3),
        (toSec - fromSec).toFixed(3),
        "<NA>",
        "<NA>",
        toField(speaker),
        "<NA>",
        "<NA>\n",
      ].join(" "),
    )
    .join("");

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

/** `diarized_json` */
export const toDiarizedResponse = (transcript: Transcript): DiarizedTranscriptionResponse => ({
  task: "transcribe",
  duration: roundToMs(transcript.durationSec),
  text: transcript.text.trim(),
  segments: transcript.segments.map(toDiarizedSegment),
  usage: usage(transcript),
  ...partialFields(transcript),
});

export const toDiarizedSegment = (segment: TranscriptSegment, index: number): DiarizedSegment => ({
  type: "transcript.text.segment",
  id: `seg_${index}`,
  start: roundToMs(segment.startSec),
  end: roundToMs(segment.endSec),
  text: segment.text.trim(),
  speaker: segment.speaker ?? speakerLetters(0),
});

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
    ...(segment.speaker === undefined ? {} : { speaker: segment.speaker }),
  };
}

const toWordObjects = ({ segments }: Transcript) =>
  segments.flatMap(({ words = [], speaker }) =>
    words.map(({ word, startSec, endSec }) => ({
      word,
      start: roundToMs(startSec),
      end: roundToMs(endSec),
      ...(speaker === undefined ? {} : { speaker }),
    })),
  );

/** Rounds seconds to milliseconds, to hide floating-point noise. */
const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000;

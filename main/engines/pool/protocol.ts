// What the pool and its children say to each other: tasks by name, with their inputs and results.
// Samples never travel: they lie in files of 16-bit mono PCM, so that the gateway's own process stays small.

import type { SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import type { ErrorKey } from "../../contract/errors.ts";
import type { AudioFormat, ModelBundle, TranscriptSegment } from "../../contract/speech.ts";
import type { TranscribeOptions, LanguageProbability, SynthesisOptions } from "../engine.ts";
import type { AssemblyPass, AudiobookPart } from "../../audiobook/audiobook-assembler.ts";

/** Task name → [input, result]. Tasks with a `session` stay with one child, which keeps its state until it is told to forget it. */
export type Tasks = {
  /** Opens a media file for decoding to 16 kHz into `pcmPath`. */
  "segment.open": [
    { session: string; vad: ModelBundle; mediaPath: string; pcmPath: string },
    { durationSec: number | undefined },
  ];
  /** Decodes about `windowSec` more and cuts it at pauses; pieces refer to `pcmPath`. */
  "segment.step": [
    { session: string; windowSec: number },
    { speechSegments: SpeechSegmentSpan[]; processedSec: number; ended: boolean },
  ];
  /** Seconds of a media file, as it tells them itself, else, or with `isExact`, by decoding it. */
  duration: [{ mediaPath: string; isExact: boolean }, { durationSec: number }];
  /** Opens a media file without decoding it: what its container says, and whether browsers play it as it is. */
  probe: [{ mediaPath: string }, { durationSec: number | undefined; isPlayable: boolean }];
  /** Draws the sound of a media file into `peaksPath`, and copies it to `copyPath` where one is given, about `windowSec` a step. */
  "prepare-playback.open": [
    { session: string; mediaPath: string; peaksPath: string; copyPath?: string },
    void,
  ];
  "prepare-playback.step": [
    { session: string; windowSec: number },
    { doneSec: number; ended: boolean },
  ];
  /** Cuts a part of a media file into WAV files, one a step; nothing was left where `fromSec` is `toSec`. With `vad` they leave out what is silent for long. */
  "split.open": [
    {
      session: string;
      mediaPath: string;
      fromSec: number;
      toSec?: number;
      vad?: ModelBundle;
    },
    void,
  ];
  "split.step": [
    { session: string; maxSec: number; wavPath: string },
    { fromSec: number; toSec: number; ended: boolean },
  ];
  /** Finds speech in samples (16 kHz) as they are appended to a file; times count from the first byte that was read. */
  "segment-live.open": [{ session: string; vad: ModelBundle }, void];
  "segment-live.step": [
    { session: string; path: string; fromByte: number; toByte: number },
    SpeechSegmentSpan[],
  ];
  /** For each piece its segments. */
  transcribe: [
    {
      model: ModelBundle;
      pcmPath: string;
      speechSegments: SpeechSegmentSpan[];
      options: TranscribeOptions;
    },
    TranscriptSegment[][],
  ];
  /** Languages of these pieces, the most probable first; none where the model knows one only. */
  "detect-language": [
    { model: ModelBundle; pcmPath: string; speechSegments: SpeechSegmentSpan[] },
    LanguageProbability[],
  ];
  /** Speaks a sentence into `pcmPath`; an empty file where there is nothing to say. */
  synthesize: [
    { model: ModelBundle; text: string; options: SynthesisOptions; pcmPath: string },
    { durationSec: number },
  ];
  /** Keeps what a channel spoke as a take; 0 seconds for silence. */
  "save-take": [{ mediaPath: string; wavPath: string }, { durationSec: number }];
  /** Puts takes and pauses one after the other: measures their loudness, or writes them as a file. */
  "assemble.open": [{ session: string; pass: AssemblyPass }, void];
  "assemble.add": [{ session: string; parts: AudiobookPart[] }, void];
  "assemble.finish": [{ session: string }, { lufs?: number }];
  phonemes: [{ model: ModelBundle; lines: string[] }, string[]];
  "encode.open": [
    { session: string; format: AudioFormat; quality: "standard" | "high"; totalSamples?: number },
    void,
  ];
  /** Encodes the PCM of a file; gives the bytes that are ready. */
  "encode.push": [{ session: string; pcmPath: string }, Uint8Array];
  "encode.finish": [{ session: string }, Uint8Array];
};

export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Tasks[Name][0];
export type TaskResult<Name extends TaskName> = Tasks[Name][1];

/** What is taken of media from outside. */
export type MediaLimits = {
  /** Longer sound is refused. */
  maxDurationSec: number;
  /** Temporary space of a file: so many times its size, and so many bytes beside. */
  tempRatio: number;
  tempExtraBytes: number;
};

export type ToChild =
  | { type: "task"; id: number; name: TaskName; input: unknown }
  | { type: "cancel"; id: number }
  | { type: "forget"; session: string }
  /** Once, before the first task. */
  | { type: "limits"; limits: MediaLimits }
  /** Ids of the app's other engine processes. */
  | { type: "close" };

/** What a child holds in memory: all of it, and by how much it grew with each model that is loaded now. */
export type ChildMemory = { rssBytes: number; models: Readonly<Record<string, number>> };

export type FromChild =
  | { type: "ready" }
  /** Before every answer, and when a model was let go. */
  | ({ type: "memory" } & ChildMemory)
  /** The task has begun: a child that is lost from here on may be lost to it. */
  | { type: "started"; id: number }
  | { type: "done"; id: number; result: unknown }
  /** `key` is there where the caller may be told; else the message is for the log. */
  | { type: "failed"; id: number; message: string; key?: ErrorKey; param?: string };

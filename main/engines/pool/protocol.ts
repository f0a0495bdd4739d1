// Messages between the pool and its children: tasks by name, with inputs and results. Samples are never sent; they are
// in files of 16-bit mono PCM, which keeps the server process small.

import type { SegmentationPolicy, SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import type { SerializedError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { SpeakerCount, Speakers } from "../../contract/speakers.ts";
import type { AudioFormat, TranscriptSegment } from "../../contract/speech.ts";
import type { DiarizedWindow } from "../diarization/diarizer.ts";
import type { TranscribeOptions, LanguageProbability, SynthesisOptions } from "../engine.ts";
import type { LiveSpeechStep } from "../../audio/dsp/vad-segmenter.ts";
import type { AssemblyPass, AudiobookPart } from "../../audiobook/audiobook-assembler.ts";

/**
 * Task name → [input, result]. Tasks with a `session` stay with one child, which keeps the state until a "forget"
 * message.
 */
export type Tasks = {
  /** Opens a media file for decoding to 16 kHz into `pcmPath`. Without `vad` no speech is searched for. */
  "segment.open": [
    { session: string; vad?: InstalledModel; mediaPath: string; pcmPath: string },
    { durationSec: number | undefined },
  ];
  /** Decodes about `windowSec` more and cuts it at pauses; segments refer to `pcmPath`. */
  "segment.step": [
    { session: string; windowSec: number },
    { speechSegments: SpeechSegmentSpan[]; processedSec: number; ended: boolean },
  ];
  /** Duration of a media file in seconds: from its container, or by decoding if unknown there or `isExact`. */
  duration: [{ mediaPath: string; isExact: boolean }, { durationSec: number }];
  /** Opens a media file without decoding it: duration from its container, and whether browsers can play it. */
  probe: [{ mediaPath: string }, { durationSec: number | undefined; isPlayable: boolean }];
  /**
   * Writes waveform peaks of a media file to `peaksPath` and, if given, a playable copy to `copyPath`, about
   * `windowSec` per step.
   */
  "prepare-playback.open": [
    { session: string; mediaPath: string; peaksPath: string; copyPath?: string },
    void,
  ];
  "prepare-playback.step": [
    { session: string; windowSec: number },
    { doneSec: number; ended: boolean },
  ];
  /**
   * Splits a range of a media file into WAV files, one per step. `fromSec` equal to `toSec` means that nothing was
   * left. With `vad`, long silence is left out.
   */
  "split.open": [
    {
      session: string;
      mediaPath: string;
      fromSec: number;
      toSec?: number;
      vad?: InstalledModel;
      /** Index of the only one that is read; default: the mean of all. */
      channel?: number;
    },
    void,
  ];
  "split.step": [
    { session: string; maxSec: number; wavPath: string },
    { fromSec: number; toSec: number; ended: boolean },
  ];
  /** Runs VAD on samples (16 kHz) as they are appended to a file; times count from the first byte read. */
  "segment-live.open": [
    { session: string; vad: InstalledModel; policy?: Partial<SegmentationPolicy> },
    void,
  ];
  /** With `endsSpeech`, speech that is open afterwards ends there. */
  "segment-live.step": [
    { session: string; path: string; fromByte: number; toByte: number; endsSpeech: boolean },
    LiveSpeechStep,
  ];
  /** Transcribes segments; the result has the transcript segments of each. */
  transcribe: [
    {
      model: InstalledModel;
      pcmPath: string;
      speechSegments: SpeechSegmentSpan[];
      options: TranscribeOptions;
    },
    TranscriptSegment[][],
  ];
  /** Languages of these segments, the most probable first; empty if the model knows only one language. */
  "detect-language": [
    { model: InstalledModel; pcmPath: string; speechSegments: SpeechSegmentSpan[] },
    LanguageProbability[],
  ];
  /** Who speaks in these windows (engines/diarization/windows.ts) of a file of which `durationSec` is decoded. */
  diarize: [
    {
      model: InstalledModel;
      pcmPath: string;
      firstWindow: number;
      endWindow: number;
      durationSec: number;
      /** Of a WAV file. */
      headerBytes?: number;
    },
    DiarizedWindow[],
  ];
  /** From all windows of a file to its speakers. */
  "join-speakers": [
    { windows: DiarizedWindow[]; durationSec: number; count: SpeakerCount },
    Speakers,
  ];
  /** Synthesizes a sentence into `pcmPath`; an empty file if there is nothing to speak. */
  synthesize: [
    { model: InstalledModel; text: string; options: SynthesisOptions; pcmPath: string },
    { durationSec: number },
  ];
  /** Stores a provider's audio as a take; 0 seconds for silence. */
  "save-take": [{ mediaPath: string; wavPath: string }, { durationSec: number }];
  /** Joins takes and pauses: measures their loudness, or writes them as a file. */
  "assemble.open": [{ session: string; pass: AssemblyPass }, void];
  "assemble.add": [{ session: string; parts: AudiobookPart[] }, void];
  "assemble.finish": [{ session: string }, { lufs?: number }];
  phonemes: [{ model: InstalledModel; lines: string[] }, string[]];
  /** Words in no lexicon of the model. */
  "unknown-words": [{ model: InstalledModel; words: string[] }, string[]];
  "encode.open": [
    { session: string; format: AudioFormat; quality: "standard" | "high"; totalSamples?: number },
    void,
  ];
  /** Encodes the PCM of a file; returns the bytes that are ready. */
  "encode.push": [{ session: string; pcmPath: string }, Uint8Array];
  "encode.finish": [{ session: string }, Uint8Array];
};

export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Tasks[Name][0];
export type TaskResult<Name extends TaskName> = Tasks[Name][1];
/** What a child does for each task. */
export type TaskHandlers = {
  [Name in TaskName]: (input: TaskInput<Name>, signal: AbortSignal) => Promise<TaskResult<Name>>;
};

/** Limits for untrusted media. */
export type MediaLimits = {
  /** Longer audio is refused. */
  maxDurationSec: number;
  /** Temporary space for a file: `tempRatio` times its size, plus `tempExtraBytes`. */
  tempRatio: number;
  tempExtraBytes: number;
};

export type ChildSetup = {
  /** Default: the child's own. */
  readonly mediaLimits?: MediaLimits;
  /** Computing threads for a large model, which only one process holds. */
  readonly largeModelThreads: number;
  /** Folder of the app for what engines need besides models. */
  readonly supportDir: string;
};

export type ToChild =
  | { type: "task"; id: number; name: TaskName; input: unknown }
  | { type: "cancel"; id: number }
  | { type: "forget"; session: string }
  /** Once, before the first task. */
  | { type: "setup"; setup: ChildSetup }
  | { type: "close" };

/** Memory of a child: the whole process, and its growth while each model now loaded was loaded. */
export type ChildMemory = { rssBytes: number; models: Readonly<Record<string, number>> };

export type FromChild =
  | { type: "ready" }
  /** Before every response, and after a model was loaded or unloaded. */
  | ({ type: "memory" } & ChildMemory)
  /** The task has started: if the child is lost from now on, the task may be the cause. */
  | { type: "started"; id: number }
  | { type: "done"; id: number; result: unknown }
  /** With `key`, the message may be shown to the caller; otherwise it is only for the log. */
  | { type: "failed"; id: number; error: SerializedError | string };

// Transcribes a file or a range of it with any model. Local engines read the file directly. Providers accept neither
// video nor more than 25 MB and charge by the second: they get WAV files that contain only speech.

import type { Router } from "../../channels/router.ts";
import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { AudioPart, FailedRange, TranscriptionJob } from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import { createTextSegment } from "../../contract/transcript.ts";
import { createTranscriptionJob } from "../../contract/transcription-job.ts";
import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import { toTranscribedSegment } from "./transcribed-segment.ts";

export type TranscribeRangeDeps = {
  router: Router;
  pool: Pool;
  tempDir: () => string;
  vad: InstalledModel;
  vocabulary(): readonly VocabularyEntry[];
};

export type TranscribeRangeRequest = {
  mediaPath: string;
  /** Without its `fromSec` and `toSec`: the start may have moved since. */
  options: TranscribeOptions;
  fromSec: number;
  /** Defaults to the end. */
  toSec?: number | undefined;
  /** Index of the only channel of the file that is transcribed; default: the mean of all. */
  channel?: number | undefined;
  /** Called before audio is sent to a channel. */
  onSentTo: (channel: string) => void;
};

/** Results since the last update. Times refer to the whole file; everything before `processedSec` is final. */
export type TranscriptionUpdate = {
  processedSec: number;
  segments: readonly TranscribedSegment[];
  failed: readonly FailedRange[];
  /** The one that transcribed the audio; undefined before its first result. */
  channel: string | undefined;
  language?: string | undefined;
};

/** About 10 MB of WAV, and little is lost if the work is interrupted. */
const upstreamPartSec = 300;
/** Local engines get long files in parts of this length. */
const localPartSec = 3600;

/** @throws AppError if no channel can transcribe with these options */
export function checkTranscribeOptions(router: Router, options: TranscribeOptions): void {
  const { speakers } = options;
  const job = createLibraryJob(options, "");
  router.checkTranscription(speakers === undefined ? job : { ...job, speakers });
  const { fromSec = 0, toSec = Infinity } = options;
  if (toSec <= fromSec) throw new AppError("transcription.emptyRange", {}, { param: "toSec" });
}

/**
 * The job of a file of the library, which can do without the times of words.
 * @throws AppError if the language is unknown
 */
const createLibraryJob = (
  { translate, model, language, prompt, temperature }: TranscribeOptions,
  mediaPath: string,
): TranscriptionJob =>
  createTranscriptionJob({
    task: translate ? "translate" : "transcribe",
    model,
    mediaPath,
    language,
    prompt,
    temperature,
    wordTimes: true,
    isBestEffort: true,
  });

/** @throws AppError if no channel can transcribe it; earlier updates stay valid */
export async function* transcribeRange(
  deps: TranscribeRangeDeps,
  { mediaPath, options, fromSec, toSec, channel, onSentTo }: TranscribeRangeRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionUpdate, void, undefined> {
  const isLocal = deps.router.isLocal(options.model, "speech-to-text");
  // Local engines stream segments while they transcribe.
  const request = { options, stream: isLocal, onSentTo };
  if (isLocal && fromSec === 0 && toSec === undefined && channel === undefined) {
    yield* transcribePart(deps, { path: mediaPath, fromSec: 0 }, request, signal);
    return;
  }
  const maxSec = isLocal ? localPartSec : upstreamPartSec;
  const split = {
    mediaPath,
    fromSec,
    toSec,
    maxSec,
    channel,
    ...(isLocal ? {} : { vad: deps.vad }),
  };
  for await (const part of deps.pool.job(signal).splitAudio(deps.tempDir(), split))
    yield* transcribePart(deps, part, request, signal);
}

/** A file, and the position of its audio in the item's. */
type TranscribedPart = Omit<AudioPart, "toSec"> & {
  /** Omitted if unknown. */
  toSec?: number;
  /** Its speech, if that is known. Times count from its start. */
  excerpt?: TranscriptionJob["excerpt"];
};

export async function* transcribePart(
  { router, vocabulary }: Pick<TranscribeRangeDeps, "router" | "vocabulary">,
  { path, fromSec, toSec, excerpt }: TranscribedPart,
  request: Pick<TranscribeRangeRequest, "options" | "onSentTo"> & {
    stream: boolean;
    /** Who pays; default: the window. */
    caller?: string;
  },
  signal: AbortSignal,
): AsyncGenerator<TranscriptionUpdate, void, undefined> {
  const { options, stream, onSentTo, caller = "window" } = request;
  const job = {
    ...createLibraryJob(options, path),
    stream,
    vocabulary: vocabulary(),
    ...(excerpt && { excerpt }),
  };
  let channel: string | undefined;
  let processedSec = fromSec;
  let hasSegments = false;
  const update = (news: Partial<TranscriptionUpdate>): TranscriptionUpdate => ({
    processedSec,
    segments: [],
    failed: [],
    channel,
    ...news,
  });
  for await (const event of router.transcribe(job, {
    caller,
    signal,
    onSentTo,
    onServing: (name) => void (channel = name),
  })) {
    if (event.type === "progress") {
      processedSec = Math.max(processedSec, fromSec + event.processedSec);
      yield update({});
    } else if (event.type === "segment") {
      hasSegments = true;
      const segment = toTranscribedSegment(event.segment, { fromSec, toSec });
      if (segment.text !== "") yield update({ segments: [segment] });
    } else if (event.type === "failed") {
      const { startSec, endSec, ...reason } = event.range;
      yield update({
        failed: [{ startSec: startSec + fromSec, endSec: endSec + fromSec, ...reason }],
      });
    } else if (event.type === "done") {
      const { text, durationSec } = event.transcript;
      const language = parseLanguage(event.transcript.language);
      processedSec = toSec ?? fromSec + durationSec;
      const isUntimed = !hasSegments && text.trim() !== "";
      const span = {
        startSec: fromSec + (excerpt?.speech[0]?.startSec ?? 0),
        endSec: fromSec + (excerpt?.speech.at(-1)?.endSec ?? processedSec - fromSec),
      };
      const segments = isUntimed
        ? [toTranscribedSegment(createTextSegment(text, span, language ?? ""), { fromSec: 0 })]
        : [];
      yield update({ segments, language });
    }
  }
}

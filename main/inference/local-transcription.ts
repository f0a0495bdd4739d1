// Transcribes a file with the built-in engines: one child decodes it and cuts it by VAD, all children transcribe the
// segments, and results are sent in order while work continues.

import { createMessage } from "../contract/messages/messages.ts";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import { separatorBefore, languageName, formatLanguageList } from "../contract/languages.ts";
import {
  resolveMediaPath,
  type FailedRange,
  type ModelBundle,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PinnedChild, Pool, PoolJob } from "../engines/pool/pool.ts";
import { mkdtemp } from "../storage/disk.ts";
import { createChildLossCheck } from "../engines/pool/retry-on-child-loss.ts";
import { createOrderedQueue, type OrderedQueue } from "./ordered-queue.ts";
import type { TranscriptionHelper } from "./transcription-helper.ts";
import { maxBatchSegments } from "./segment-batches.ts";
import {
  createSegmentTranscriber,
  type SegmentResult,
  type TranscriptionModels,
  type SegmentTranscriber,
} from "./segment-transcriber.ts";
import { createSharedTranscription, type SharedTranscription } from "./shared-transcription.ts";

export type LocalTranscriptionDeps = TranscriptionModels & {
  pool: Pool;
  vad: ModelBundle;
  tempDir: () => string;
  /** Channels that may transcribe parts of a long file. */
  helpers: readonly TranscriptionHelper[];
};

/**
 * The first window is short so that the first words appear soon, unless the file is transcribed in a single pass; later
 * windows are long, which is cheaper.
 */
const minWindowSec = 6;
const maxWindowSec = 120;
/** Maximum silence reported around a segment. */
const maxSilenceSec = 5;
/** After this much audio since the first speech, the language is decided from the speech found so far. */
const languageDecisionSec = 30;

/** @throws AppError if the file cannot be decoded or the language is not supported */
export async function* transcribeFile(
  deps: LocalTranscriptionDeps,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  checkLanguage(deps, job);
  const stopController = new AbortController();
  const jobSignal = AbortSignal.any([signal, stopController.signal]);
  const poolJob = deps.pool.job(jobSignal);
  const folder = await mkdtemp(join(deps.tempDir(), "hear-"));
  const file: MediaFileState = { folder, durationSec: undefined, decodedSec: 0 };
  const { pool, helpers, languages } = deps;
  const maxConcurrent = helpers.reduce((sum, helper) => sum + helper.maxConcurrent, pool.size);
  const resultQueue = createOrderedQueue<SegmentResult>(4 * maxBatchSegments * maxConcurrent);
  const transcriber = createSegmentTranscriber(deps, job, poolJob, pool.size);
  const knownLanguage = (): string | undefined =>
    job.language ?? transcriber.language() ?? (languages.length === 1 ? languages[0] : undefined);
  const sharedTranscription = createSharedTranscription({
    transcriber,
    poolSize: pool.size,
    helpers,
    job,
    file,
    folder,
    language: knownLanguage,
    signal: jobSignal,
  });
  const segmenting = segmentFile(
    deps,
    job,
    poolJob,
    file,
    transcriber,
    sharedTranscription,
    resultQueue,
  )
    .finally(() => {
      transcriber.endInput();
      sharedTranscription.setMoreExpected(false);
    })
    .then(resultQueue.end, resultQueue.fail);
  const segments: TranscriptSegment[] = [];
  const failed: FailedRange[] = [];
  let processedSec = 0;
  try {
    for await (const { untilSec, segments: newSegments, failed: range } of resultQueue.values()) {
      for (const segment of newSegments) {
        segments.push(segment);
        yield { type: "segment", segment };
      }
      if (range !== undefined) {
        failed.push(range);
        yield { type: "failed", range };
      }
      processedSec = Math.max(processedSec, untilSec);
      yield { type: "progress", processedSec, durationSec: file.durationSec };
    }
    // Translations are English, whatever language was spoken.
    const text = segments
      .map(
        (segment) =>
          separatorBefore(job.task === "translate" ? "en" : segment.language) + segment.text,
      )
      .join("")
      .trim();
    const language = languageName(
      job.language ?? dominantLanguage(segments) ?? transcriber.language() ?? "en",
    );
    const usedHelpers = sharedTranscription.usedHelpers();
    yield {
      type: "done",
      transcript: {
        language,
        durationSec: file.decodedSec,
        text,
        segments,
        failed,
        ...(usedHelpers.length === 0 ? {} : { helpers: usedHelpers }),
      },
    };
  } finally {
    stopController.abort();
    await segmenting;
    await sharedTranscription.waitUntilIdle();
    // Retries, because a cancelled task may still be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function checkLanguage(
  { languages }: LocalTranscriptionDeps,
  { language, task }: TranscriptionJob,
): void {
  if (language === undefined || languages.includes(language)) return;
  const why = createMessage(
    task === "translate" ? "language.notTranslated" : "language.notTranscribed",
    { language: languageName(language) },
  );
  throw new AppError(
    "language.unsupported",
    { why, languages: formatLanguageList(languages) },
    { param: "language" },
  );
}

/** The language with the most speech; undefined if nothing was said or no segment has a language. */
function dominantLanguage(segments: readonly TranscriptSegment[]): string | undefined {
  const spokenSec = new Map<string, number>();
  for (const { language, startSec, endSec } of segments)
    if (language !== "")
      spokenSec.set(language, (spokenSec.get(language) ?? 0) + endSec - startSec);
  return [...spokenSec].reduce<[string, number] | undefined>(
    (longest, entry) => (longest === undefined || entry[1] > longest[1] ? entry : longest),
    undefined,
  )?.[0];
}

/** State of the file being decoded. */
type MediaFileState = {
  readonly folder: string;
  durationSec: number | undefined;
  decodedSec: number;
};

/** Cuts the file into segments and adds their transcriptions to `resultQueue`. A lost child is replaced. */
async function segmentFile(
  deps: LocalTranscriptionDeps,
  job: TranscriptionJob,
  poolJob: PoolJob,
  file: MediaFileState,
  transcriber: SegmentTranscriber,
  sharedTranscription: SharedTranscription,
  resultQueue: OrderedQueue<SegmentResult>,
): Promise<void> {
  let submittedCount = 0;
  let speechSec: number | undefined;
  const checkRestart = createChildLossCheck(
    () => new AppError("audio.undecodable", {}, { param: "file" }),
  );
  for (let attempt = 1; ; attempt += 1) {
    const pinned = poolJob.pin();
    // A new file per attempt: segments of an earlier attempt may still be read from its own file.
    const pcmPath = join(file.folder, `attempt-${attempt}.pcm`);
    try {
      let foundCount = 0;
      for await (const speechSegments of findSpeechSegments(
        deps,
        job,
        pinned,
        pcmPath,
        file,
        transcriber.singlePassMaxSec(),
      )) {
        // A later attempt finds the same segments again; those already submitted are skipped.
        const newSegments = speechSegments.slice(Math.max(0, submittedCount - foundCount));
        foundCount += speechSegments.length;
        submittedCount = Math.max(submittedCount, foundCount);
        speechSec ??= newSegments[0]?.startSec;
        const results = await sharedTranscription.transcribe(pcmPath, newSegments);
        // Silence is progress too.
        for (const result of results.length > 0
          ? results
          : [Promise.resolve({ untilSec: file.decodedSec, segments: [] })]) {
          const added = resultQueue.add(result);
          // Without a decision, this loop would wait for results that wait for the language.
          if (
            speechSec !== undefined &&
            (resultQueue.isFull() || file.decodedSec - speechSec >= languageDecisionSec)
          )
            transcriber.endInput();
          sharedTranscription.setMoreExpected(!resultQueue.isFull());
          await added;
        }
        sharedTranscription.setMoreExpected(true);
      }
      return;
    } catch (error) {
      checkRestart(error);
    } finally {
      pinned.release();
    }
  }
}

/** Speech segments, window by window, decoded and cut by one pinned child. */
async function* findSpeechSegments(
  deps: LocalTranscriptionDeps,
  job: TranscriptionJob,
  pinned: PinnedChild,
  pcmPath: string,
  file: MediaFileState,
  singlePassMaxSec: number,
): AsyncGenerator<SpeechSegmentSpan[], void, undefined> {
  const { session } = pinned;
  const { durationSec } = await pinned.run("segment.open", {
    session,
    vad: deps.vad,
    mediaPath: await resolveMediaPath(job),
    pcmPath,
  });
  file.durationSec = durationSec;
  const isShort = durationSec !== undefined && durationSec <= singlePassMaxSec;
  let quietFromSec = 0;
  for (
    let windowSec = isShort ? singlePassMaxSec : minWindowSec, ended = false;
    !ended;
    windowSec = Math.min(windowSec * 2, maxWindowSec)
  ) {
    const step = await pinned.run("segment.step", { session, windowSec });
    ({ ended } = step);
    file.decodedSec = step.processedSec;
    yield addSilenceBounds(
      step.speechSegments,
      quietFromSec,
      ended ? step.processedSec : undefined,
    );
    quietFromSec = step.speechSegments.at(-1)?.toSec ?? quietFromSec;
  }
}

/**
 * Adds the silence around each segment: back to the previous segment, and after the last one to the end of the file.
 */
function addSilenceBounds(
  speechSegments: readonly SpeechSegmentSpan[],
  previousEndSec: number,
  fileEndSec: number | undefined,
): SpeechSegmentSpan[] {
  return speechSegments.map((speechSegment, index) => {
    const quietFromSec = Math.max(
      speechSegments[index - 1]?.toSec ?? previousEndSec,
      speechSegment.startSec - maxSilenceSec,
    );
    const isLast = index === speechSegments.length - 1 && fileEndSec !== undefined;
    return {
      ...speechSegment,
      quietFromSec,
      ...(isLast ? { quietToSec: Math.min(fileEndSec, speechSegment.endSec + maxSilenceSec) } : {}),
    };
  });
}

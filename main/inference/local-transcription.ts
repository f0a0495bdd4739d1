// Transcribes a file with the built-in engines: one child decodes it and cuts it by VAD, all children transcribe the
// segments, and results are sent in order while work continues.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import { languageName } from "../contract/languages.ts";
import type { InstalledModel } from "../contract/models.ts";
import {
  type FailedRange,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../contract/speech.ts";
import { addSpeechSec, dominantLanguage, joinSegments } from "../contract/transcript.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import type { PinnedChild, Pool, PoolJob } from "../engines/pool/pool.ts";
import type { TranscriptionModels } from "../models/defaults.ts";
import { mkdtemp } from "../storage/disk.ts";
import { mediaFile } from "../storage/media-file.ts";
import { createChildLossCheck } from "../engines/pool/retry-on-child-loss.ts";
import { createOrderedQueue, type OrderedQueue } from "./ordered-queue.ts";
import { maxBatchSegments } from "./segment-batches.ts";
import type { SegmentResult } from "./segment-recognizer.ts";
import { createSegmentTranscriber, type SegmentTranscriber } from "./segment-transcriber.ts";
import { createVocabularyCorrection, type FindUnknownWords } from "./vocabulary-correction.ts";

export type LocalTranscriptionDeps = {
  models: TranscriptionModels;
  pool: Pool;
  vad: InstalledModel;
  tempDir: () => string;
  findUnknownWords: FindUnknownWords;
};

/**
 * The first window is short so that the first words appear soon, unless the file is transcribed in a single pass; later
 * windows are long, which is cheaper.
 */
const minWindowSec = 6;
const maxWindowSec = 120;
/** No model transcribes longer files in a single pass: their segments need no silence around them. */
const maxUncutSec = 30;
/** Maximum silence reported around a segment. */
const maxSilenceSec = 5;
/** After this much audio since the first speech, the language is decided from the speech found so far. */
const languageDecisionSec = 30;

/** @throws AppError if the file cannot be decoded */
export async function* transcribeFile(
  deps: LocalTranscriptionDeps,
  job: TranscriptionJob,
  signal: AbortSignal,
): AsyncGenerator<TranscriptionEvent, void, undefined> {
  const stopController = new AbortController();
  const jobSignal = AbortSignal.any([signal, stopController.signal]);
  const poolJob = deps.pool.job(jobSignal);
  const folder = await mkdtemp(join(deps.tempDir(), "transcribe-"));
  const file: MediaFileState = { folder, durationSec: undefined, decodedSec: 0 };
  const { pool } = deps;
  const resultQueue = createOrderedQueue<SegmentResult>(4 * maxBatchSegments * pool.size);
  const { vocabulary = [] } = job;
  const correct =
    vocabulary.length === 0
      ? undefined
      : createVocabularyCorrection(vocabulary, deps.findUnknownWords, jobSignal);
  const transcriber = createSegmentTranscriber(deps.models, job, poolJob, pool.size, correct);
  const segmenting = segmentFile(deps, job, poolJob, file, transcriber, resultQueue)
    .finally(() => transcriber.endInput())
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
    const text = joinSegments(segments, job.task);
    const language = languageName(
      job.language ??
        dominantLanguage(addSpeechSec(new Map(), segments)) ??
        transcriber.language() ??
        "en",
    );
    yield {
      type: "done",
      transcript: { language, durationSec: file.decodedSec, text, segments, failed },
    };
  } finally {
    stopController.abort();
    await segmenting;
    // Retries, because a cancelled task may still be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
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
        await transcriber.waitForLanguage();
        const results = transcriber.transcribe(pcmPath, newSegments);
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
          await added;
        }
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
  const { excerpt } = job;
  const { durationSec } = await pinned.run("segment.open", {
    session,
    ...(excerpt === undefined ? { vad: deps.vad } : {}),
    mediaPath: await mediaFile(job),
    pcmPath,
  });
  file.durationSec = durationSec;
  const isShort = durationSec !== undefined && durationSec <= singlePassMaxSec;
  const mayBeUncut = durationSec === undefined || durationSec <= maxUncutSec;
  let quietFromSec = 0;
  for (
    let windowSec = isShort ? singlePassMaxSec : minWindowSec, ended = false;
    !ended;
    windowSec = Math.min(windowSec * 2, maxWindowSec)
  ) {
    const step = await pinned.run("segment.step", { session, windowSec });
    ({ ended } = step);
    file.decodedSec = step.processedSec;
    if (excerpt !== undefined) {
      if (ended) yield [...excerpt.speech];
      continue;
    }
    yield mayBeUncut
      ? addSilenceBounds(step.speechSegments, quietFromSec, ended ? step.processedSec : undefined)
      : step.speechSegments;
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

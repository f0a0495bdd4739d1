// Transcribes a range of a long file on another channel: sends the samples as a WAV file, and shifts the times of the
// result to the whole file. See shared-transcription.ts for how ranges are assigned.

import { rm } from "node:fs/promises";
import { joinBytes, wavHeader } from "../audio/codec/framing.ts";
import { floatToPcm } from "../audio/codec/pcm.ts";
import { readPcmRange } from "../audio/codec/pcm-file.ts";
import type { SpeechSegmentSpan } from "../audio/dsp/vad-segmenter.ts";
import { parseLanguage } from "../contract/languages.ts";
import { countWords, hasTooFewWords } from "../engines/stt/missing-words.ts";
import type {
  Transcript,
  TranscriptSegment,
  TranscriptionEvent,
  TranscriptionJob,
} from "../contract/speech.ts";
import { writeFile } from "../storage/disk.ts";

export type TranscriptionHelper = {
  /** Shown in the transcript. */
  name: string;
  /** Maximum number of parallel requests. */
  maxConcurrent: number;
  /** Transcribes with a model of its own choice; the job's `model` is a local one. */
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
};

/** Sample rate of the PCM file written by segmentation. */
const sampleRateHz = 16_000;

/**
 * @param speechSegments neighbours in the file, in time order, found in the samples of `pcmPath`
 * @param wavPath is written, and removed when this settles
 * @returns the transcript segments of the range, with times in the whole file
 * @throws if the helper fails or leaves something out, or `signal` is aborted; the helper itself may ignore the signal
 */
export async function transcribeRemotely(
  helper: TranscriptionHelper,
  job: TranscriptionJob,
  pcmPath: string,
  speechSegments: readonly SpeechSegmentSpan[],
  wavPath: string,
  signal: AbortSignal,
): Promise<TranscriptSegment[]> {
  const fromSec = Math.min(...speechSegments.map((speechSegment) => speechSegment.fromSec));
  const toSec = Math.max(...speechSegments.map((speechSegment) => speechSegment.toSec));
  const samples = await readPcmRange(
    pcmPath,
    Math.round(fromSec * sampleRateHz),
    Math.round(toSec * sampleRateHz),
  );
  try {
    const mediaBytes = joinBytes([wavHeader(sampleRateHz, samples.length), floatToPcm(samples)]);
    await writeFile(wavPath, mediaBytes);
    signal.throwIfAborted();
    const transcript = await raceAbort(
      waitForTranscript(
        helper.transcribe({ ...job, mediaPath: wavPath, mediaBytes, stream: false }, signal),
      ),
      signal,
    );
    const language = job.language ?? parseLanguage(transcript.language) ?? "";
    const segments =
      transcript.segments.length > 0
        ? transcript.segments.map((segment) => shiftSegment(segment, fromSec, toSec, language))
        : [toSingleSegment(transcript.text, job, speechSegments, language)];
    return checkComplete(
      segments.filter(({ text }) => text !== ""),
      job,
      speechSegments,
    );
  } finally {
    // A file that cannot be removed while it is read is removed with its folder.
    await rm(wavPath, { force: true }).catch(() => {});
  }
}

async function waitForTranscript(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) {
    if (event.type !== "done") continue;
    if (event.transcript.failed.length > 0) throw new Error("the helper did not hear all of it");
    return event.transcript;
  }
  throw new Error("the helper ended without a transcript");
}

/** Rejects on abort without waiting for work that ignores the signal. */
async function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function shiftSegment(
  segment: TranscriptSegment,
  fromSec: number,
  toSec: number,
  language: string,
): TranscriptSegment {
  // Providers round times, and some return ends after the end of the file.
  const toFileSec = (sec: number): number => Math.min(Math.max(sec, 0) + fromSec, toSec);
  const { words } = segment;
  return {
    ...segment,
    startSec: toFileSec(segment.startSec),
    endSec: toFileSec(segment.endSec),
    text: segment.text.trim(),
    seekFrames: segment.seekFrames + Math.round(fromSec * 100),
    language: segment.language === "" ? language : segment.language,
    ...(words === undefined
      ? {}
      : {
          words: words.map((word) => ({
            ...word,
            startSec: toFileSec(word.startSec),
            endSec: toFileSec(word.endSec),
          })),
        }),
  };
}

/** One segment for text without segments, from the first to the last voice. Values that only the model knows are 0. */
function toSingleSegment(
  text: string,
  { temperature }: TranscriptionJob,
  speechSegments: readonly SpeechSegmentSpan[],
  language: string,
): TranscriptSegment {
  const startSec = Math.min(...speechSegments.map((speechSegment) => speechSegment.startSec));
  const endSec = Math.max(...speechSegments.map((speechSegment) => speechSegment.endSec));
  const noSpeechProb =
    1 -
    speechSegments.reduce((sum, speechSegment) => sum + speechSegment.voiceProb, 0) /
      speechSegments.length;
  return {
    startSec,
    endSec,
    text: text.trim(),
    tokens: [],
    temperature,
    avgLogprob: 0,
    compressionRatio: 0,
    noSpeechProb,
    seekFrames: Math.round(startSec * 100),
    language,
  };
}

/** Factor for helpers on the minimum number of words per second of voice: voice may be singing or laughter. */
const voicedTolerance = 0.5;

/** Every segment contains voice: a result with hardly any words, or without requested word times, is an error. */
function checkComplete(
  segments: TranscriptSegment[],
  { wordTimes }: TranscriptionJob,
  speechSegments: readonly SpeechSegmentSpan[],
): TranscriptSegment[] {
  const wordCount = segments.reduce((sum, { text }) => sum + countWords(text), 0);
  const voicedSec = speechSegments.reduce((sum, speechSegment) => sum + speechSegment.voicedSec, 0);
  if (wordCount === 0 || hasTooFewWords(wordCount, voicedTolerance * voicedSec))
    throw new Error(`the helper heard ${wordCount} words in ${voicedSec.toFixed(1)} s of voice`);
  if (wordTimes && segments.some(({ words }) => words === undefined))
    throw new Error("the helper did not tell the times of words");
  return segments.sort((one, other) => one.startSec - other.startSec);
}

// A stretch of a long file heard by another channel: its samples go there as a WAV file, and what comes back is
// moved to its place in the whole. See shared-hearing.ts for who is asked for which stretch.

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
  /** Told of in the transcript. */
  name: string;
  /** Requests it takes at once. */
  maxConcurrent: number;
  /** Hears a file with the model it has for that; the job's own `model` is this machine's. */
  transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
};

/** What the samples file of a listened file holds. */
const sampleRateHz = 16_000;

/**
 * @param speechSegments neighbours in the file, in time order, that were found in the samples of `pcmPath`
 * @param wavPath is written, and removed when this settles
 * @returns the segments of the stretch, at their times in the whole file
 * @throws where the helper fails, leaves something out, or `signal` is aborted, which it need not obey itself
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
    // What cannot be removed while it is read goes with its folder.
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

/** Does not wait for work that goes on in spite of the signal. */
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
  // Providers round, and some tell ends that lie behind the file's.
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

/** Text without segments, from the first voice to the last. What only the model knows is 0. */
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

/** Of what the engines here take for lost words this much is given to helpers: a voice may sing, or only laugh. */
const voicedTolerance = 0.5;

/** There was voice in every piece: hardly a word of it, or none of the times asked for, is no answer. */
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

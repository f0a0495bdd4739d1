// A stretch of a long file heard by another channel: its samples go there as a WAV file, and what comes back is
// moved to its place in the whole. See shared-hearing.ts for who is asked for which stretch.

import { rm } from "node:fs/promises";
import { joinBytes, wavHeader } from "../audio/codec/framing.ts";
import { floatToPcm } from "../audio/codec/pcm.ts";
import { readPcmSpan } from "../audio/codec/pcm-file.ts";
import type { PieceSpan } from "../audio/dsp/segments.ts";
import { parseLanguage } from "../contract/languages.ts";
import { countWords, looksLost } from "../engines/stt/lost-words.ts";
import type {
  Transcript,
  TranscriptSegment,
  TranscriptionEvent,
  TranscriptionJob,
} from "../contract/speech.ts";
import { writeFile } from "../storage/disk.ts";

export type HearingHelper = {
  /** Told of in the transcript. */
  name: string;
  /** Requests it takes at once. */
  width: number;
  /** Hears a file with the model it has for that; the job's own `model` is this machine's. */
  hear(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
};

/** What the samples file of a listened file holds. */
const sampleRateHz = 16_000;

/**
 * @param pieces neighbours in the file, in time order, that were found in the samples of `pcmPath`
 * @param wavPath is written, and removed when this settles
 * @returns the segments of the stretch, at their times in the whole file
 * @throws where the helper fails, leaves something out, or `signal` is aborted, which it need not obey itself
 */
export async function hearElsewhere(
  helper: HearingHelper,
  job: TranscriptionJob,
  pcmPath: string,
  pieces: readonly PieceSpan[],
  wavPath: string,
  signal: AbortSignal,
): Promise<TranscriptSegment[]> {
  const fromSec = Math.min(...pieces.map((piece) => piece.fromSec));
  const toSec = Math.max(...pieces.map((piece) => piece.toSec));
  const samples = await readPcmSpan(
    pcmPath,
    Math.round(fromSec * sampleRateHz),
    Math.round(toSec * sampleRateHz),
  );
  try {
    const mediaBytes = joinBytes([wavHeader(sampleRateHz, samples.length), floatToPcm(samples)]);
    await writeFile(wavPath, mediaBytes);
    signal.throwIfAborted();
    const transcript = await orAborted(
      transcriptOf(helper.hear({ ...job, mediaPath: wavPath, mediaBytes, stream: false }, signal)),
      signal,
    );
    const language = job.language ?? parseLanguage(transcript.language) ?? "";
    const heard =
      transcript.segments.length > 0
        ? transcript.segments.map((segment) => moved(segment, fromSec, toSec, language))
        : [asOne(transcript.text, job, pieces, language)];
    return complete(
      heard.filter(({ text }) => text !== ""),
      job,
      pieces,
    );
  } finally {
    // What cannot be removed while it is read goes with its folder.
    await rm(wavPath, { force: true }).catch(() => {});
  }
}

async function transcriptOf(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) {
    if (event.type !== "done") continue;
    if (event.transcript.failed.length > 0) throw new Error("the helper did not hear all of it");
    return event.transcript;
  }
  throw new Error("the helper ended without a transcript");
}

/** Does not wait for work that goes on in spite of the signal. */
async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function moved(
  segment: TranscriptSegment,
  fromSec: number,
  toSec: number,
  language: string,
): TranscriptSegment {
  // Providers round, and some tell ends that lie behind the file's.
  const place = (sec: number): number => Math.min(Math.max(sec, 0) + fromSec, toSec);
  const { words } = segment;
  return {
    ...segment,
    startSec: place(segment.startSec),
    endSec: place(segment.endSec),
    text: segment.text.trim(),
    seekFrames: segment.seekFrames + Math.round(fromSec * 100),
    language: segment.language === "" ? language : segment.language,
    ...(words === undefined
      ? {}
      : {
          words: words.map((word) => ({
            ...word,
            startSec: place(word.startSec),
            endSec: place(word.endSec),
          })),
        }),
  };
}

/** Text without segments, from the first voice to the last. What only the model knows is 0. */
function asOne(
  text: string,
  { temperature }: TranscriptionJob,
  pieces: readonly PieceSpan[],
  language: string,
): TranscriptSegment {
  const startSec = Math.min(...pieces.map((piece) => piece.startSec));
  const endSec = Math.max(...pieces.map((piece) => piece.endSec));
  const noSpeechProb = 1 - pieces.reduce((sum, piece) => sum + piece.voiceProb, 0) / pieces.length;
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
const allowance = 0.5;

/** There was voice in every piece: hardly a word of it, or none of the times asked for, is no answer. */
function complete(
  segments: TranscriptSegment[],
  { wordTimes }: TranscriptionJob,
  pieces: readonly PieceSpan[],
): TranscriptSegment[] {
  const wordCount = segments.reduce((sum, { text }) => sum + countWords(text), 0);
  const voicedSec = pieces.reduce((sum, piece) => sum + piece.voicedSec, 0);
  if (wordCount === 0 || looksLost(wordCount, allowance * voicedSec))
    throw new Error(`the helper heard ${wordCount} words in ${voicedSec.toFixed(1)} s of voice`);
  if (wordTimes && segments.some(({ words }) => words === undefined))
    throw new Error("the helper did not tell the times of words");
  return segments.sort((one, other) => one.startSec - other.startSec);
}

// A provider's transcript, `json` or `verbose_json`, in our words. Providers leave out or bend much of it; what they
// do not tell is neutral here: no tokens, log-probability 0, compression ratio 1, probability of no speech 0.

import { z } from "zod";
import { languageName, parseLanguage } from "../../contract/languages.ts";
import type { Transcript, TranscriptSegment, TranscriptWord } from "../../contract/speech.ts";

/** vLLM has sent durations as text. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
const maybe = number.optional().catch(undefined);
/** Seconds are never negative; a provider's that are count as untold. */
const maybeSec = maybe.transform((sec) => (sec === undefined || sec < 0 ? undefined : sec));

const word = z.object({ word: z.string(), start: number, end: number, probability: maybe });
const words = z.array(word).optional().catch(undefined);
const segment = z.object({
  start: number,
  end: number,
  text: z.string(),
  seek: maybe,
  tokens: z.array(z.int()).catch([]),
  temperature: maybe,
  avg_logprob: maybe,
  compression_ratio: maybe,
  no_speech_prob: maybe,
  words,
});
const answer = z.object({
  text: z.string(),
  language: z.string().optional().catch(undefined),
  duration: maybeSec,
  segments: z
    .array(segment)
    .nullish()
    .transform((segments) => segments ?? []),
  words,
  usage: z.object({ seconds: maybeSec }).optional().catch(undefined),
});

/** Undefined where it is no transcript. `durationSec` is 0 and `language` empty where the provider does not tell. */
export function readTranscript(json: unknown): Transcript | undefined {
  const parsed = answer.safeParse(json);
  if (!parsed.success) return undefined;
  const { text, language, duration, usage } = parsed.data;
  const code = language === undefined ? undefined : parseLanguage(language);
  const durationSec =
    duration ?? usage?.seconds ?? Math.max(0, parsed.data.segments.at(-1)?.end ?? 0);
  const segments = parsed.data.segments.map((one) => segmentOf(one, code ?? ""));
  const allWords = (parsed.data.words ?? []).map(wordOf);
  if (segments.length === 0 && text.trim() !== "")
    segments.push(...wholeAsSegment(text, allWords, code ?? ""));
  shareWords(allWords, segments);
  return {
    language: code === undefined ? (language ?? "").toLowerCase() : languageName(code),
    durationSec,
    text: text.trim(),
    segments,
    failed: [],
  };
}

function segmentOf(told: z.infer<typeof segment>, language: string): TranscriptSegment {
  return {
    startSec: told.start,
    endSec: told.end,
    text: told.text.trim(),
    tokens: told.tokens,
    temperature: told.temperature ?? 0,
    avgLogprob: told.avg_logprob ?? 0,
    compressionRatio: told.compression_ratio ?? 1,
    noSpeechProb: told.no_speech_prob ?? 0,
    seekFrames: Math.round(told.seek ?? told.start * 100),
    language,
    ...(told.words === undefined ? {} : { words: told.words.map(wordOf) }),
  };
}

const wordOf = (told: z.infer<typeof word>): TranscriptWord => ({
  word: told.word.trim(),
  startSec: told.start,
  endSec: told.end,
  probability: told.probability ?? 1,
});

/** Subtitles are made of segments: where only words are told, the whole is one. Text without any times has none. */
function wholeAsSegment(
  text: string,
  allWords: readonly TranscriptWord[],
  language: string,
): TranscriptSegment[] {
  const start = allWords[0]?.startSec ?? 0;
  const end = allWords.at(-1)?.endSec ?? 0;
  return end > start ? [segmentOf({ start, end, text, tokens: [] }, language)] : [];
}

/** Each word goes to the last segment that began before the word's middle. */
function shareWords(
  allWords: readonly TranscriptWord[],
  segments: readonly TranscriptSegment[],
): void {
  if (allWords.length === 0) return;
  for (const one of segments) one.words = [];
  let at = 0;
  for (const one of allWords) {
    const middleSec = (one.startSec + one.endSec) / 2;
    while (at + 1 < segments.length && segments[at + 1]!.startSec <= middleSec) at += 1;
    segments[at]?.words?.push(one);
  }
}

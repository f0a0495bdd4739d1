// Parses a provider's `json` or `verbose_json` transcript. Providers omit or bend much of it; missing figures get
// neutral values.

import { z } from "zod";
import { languageName, parseLanguage } from "../../contract/languages.ts";
import { createTextSegment } from "../../contract/transcript.ts";
import type { Transcript, TranscriptSegment, TranscriptWord } from "../../contract/speech.ts";

/** vLLM has sent durations as strings. */
const numberSchema = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
const optionalNumber = numberSchema.optional().catch(undefined);
/** Negative seconds count as missing. */
const optionalSec = optionalNumber.transform((sec) =>
  sec === undefined || sec < 0 ? undefined : sec,
);

const word = z.object({
  word: z.string(),
  start: numberSchema,
  end: numberSchema,
  probability: optionalNumber,
});
const words = z.array(word).optional().catch(undefined);
const segment = z.object({
  start: numberSchema,
  end: numberSchema,
  text: z.string(),
  seek: optionalNumber,
  tokens: z.array(z.int()).catch([]),
  temperature: optionalNumber,
  avg_logprob: optionalNumber,
  compression_ratio: optionalNumber,
  no_speech_prob: optionalNumber,
  words,
});
const responseSchema = z.object({
  text: z.string(),
  language: z.string().optional().catch(undefined),
  duration: optionalSec,
  segments: z
    .array(segment)
    .nullish()
    .transform((segments) => segments ?? []),
  words,
  usage: z.object({ seconds: optionalSec }).optional().catch(undefined),
});

/** undefined if it is no transcript. `durationSec` is 0 and `language` empty if the provider omits them. */
export function parseTranscript(json: unknown): Transcript | undefined {
  const parsed = responseSchema.safeParse(json);
  if (!parsed.success) return undefined;
  const { text, language, duration, usage } = parsed.data;
  const code = language === undefined ? undefined : parseLanguage(language);
  const durationSec =
    duration ?? usage?.seconds ?? Math.max(0, parsed.data.segments.at(-1)?.end ?? 0);
  const segments = parsed.data.segments.map((one) => toSegment(one, code ?? ""));
  const allWords = (parsed.data.words ?? []).map(toWord);
  if (segments.length === 0 && text.trim() !== "")
    segments.push(...toSingleSegment(text, allWords, code ?? ""));
  assignWords(allWords, segments);
  return {
    language: code === undefined ? (language ?? "").toLowerCase() : languageName(code),
    durationSec,
    text: text.trim(),
    segments,
    failed: [],
  };
}

function toSegment(row: z.infer<typeof segment>, language: string): TranscriptSegment {
  const neutral = createTextSegment(row.text, { startSec: row.start, endSec: row.end }, language);
  return {
    ...neutral,
    tokens: row.tokens,
    temperature: row.temperature ?? neutral.temperature,
    avgLogprob: row.avg_logprob ?? neutral.avgLogprob,
    compressionRatio: row.compression_ratio ?? neutral.compressionRatio,
    noSpeechProb: row.no_speech_prob ?? neutral.noSpeechProb,
    seekFrames: row.seek === undefined ? neutral.seekFrames : Math.round(row.seek),
    ...(row.words === undefined ? {} : { words: row.words.map(toWord) }),
  };
}

const toWord = (row: z.infer<typeof word>): TranscriptWord => ({
  word: row.word.trim(),
  startSec: row.start,
  endSec: row.end,
  probability: row.probability ?? 1,
});

/**
 * Subtitles need segments: if there are only words, the whole text is one segment. Text without any times gets none.
 */
function toSingleSegment(
  text: string,
  allWords: readonly TranscriptWord[],
  language: string,
): TranscriptSegment[] {
  const start = allWords[0]?.startSec ?? 0;
  const end = allWords.at(-1)?.endSec ?? 0;
  return end > start ? [createTextSegment(text, { startSec: start, endSec: end }, language)] : [];
}

/** Assigns each word to the last segment that begins before the word's middle. */
function assignWords(
  allWords: readonly TranscriptWord[],
  segments: readonly TranscriptSegment[],
): void {
  if (allWords.length === 0) return;
  for (const one of segments) one.words = [];
  let segmentIndex = 0;
  for (const one of allWords) {
    const middleSec = (one.startSec + one.endSec) / 2;
    while (segmentIndex + 1 < segments.length && segments[segmentIndex + 1]!.startSec <= middleSec)
      segmentIndex += 1;
    segments[segmentIndex]?.words?.push(one);
  }
}

// Moonshine: speech to text in one language, English in the model that is shipped. Encodes segments one by one, decodes them as a batch, retries segments that seem
// to lack words, and computes word times.

import type { TranscriptSegment, TranscriptWord } from "../../../contract/speech.ts";
import type { TranscribeOptions, SpeechSegment, SpeechToText } from "../../engine.ts";
import type { ModelFiles } from "../../model-files.ts";
import { countWords, hasTooFewWords } from "../missing-words.ts";
import { avgLogprob, compressionRatio, maxCompressionRatio } from "../scores.ts";
import { alignTokens } from "../word-alignment.ts";
import { decode, type DecodedSegment } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { createMergedGraphs } from "./merged-graphs.ts";
import { readVocabulary } from "./vocabulary.ts";
import { alignmentHeads, buildWords } from "./word-timing.ts";

const sampleRateHz = 16_000;
/** Maximum number of tokens per second of speech, but at least eight tokens (Moonshine's own rule). */
const tokensPerSec = 6.5;
const minTokens = 8;
/** Other languages' letters take more tokens. */
const tokensPerSecElsewhere = 13;
const languagesOfFewTokens = new Set(["en", "es"]);
/** The model recognizes nothing in shorter audio, so silence is appended. */
const minSegmentSec = 0.6;
/** Segments shorter than this are not split again. */
const minSplitSec = 2.5;

/**
 * @param language that the model knows
 * @param random for sampling, 0 to 1
 */
export async function createMoonshine(
  files: ModelFiles,
  language: string,
  random: () => number = Math.random,
): Promise<SpeechToText> {
  const vocabulary = await readVocabulary(files);
  const graphs = files.names.includes("cross_model.onnx")
    ? await createGraphs(files)
    : await createMergedGraphs(files);
  const maxTokensPerSec = languagesOfFewTokens.has(language) ? tokensPerSec : tokensPerSecElsewhere;
  const hasWordTimes = ({ wordTimes }: TranscribeOptions): boolean =>
    wordTimes && graphs.returnsAttentions;

  async function transcribeBatch(
    speechSegments: readonly SpeechSegment[],
    options: TranscribeOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment[]> {
    const batch = await graphs.encode(speechSegments.map(({ samples }) => padToMinLength(samples)));
    const decoded = await decode(graphs, batch, {
      temperature: options.temperature,
      maxTokens: speechSegments.map(({ samples }) =>
        Math.max(minTokens, Math.ceil((maxTokensPerSec * samples.length) / sampleRateHz)),
      ),
      heads: hasWordTimes(options) ? alignmentHeads : [],
      random,
      signal,
    });
    return decoded.map((result, index) =>
      toTranscriptSegment(speechSegments[index] as SpeechSegment, result, options),
    );
  }

  function toTranscriptSegment(
    speechSegment: SpeechSegment,
    decoded: DecodedSegment,
    options: TranscribeOptions,
  ): TranscriptSegment {
    const text = vocabulary.decode(decoded.tokens).trim();
    const result: TranscriptSegment = {
      startSec: speechSegment.startSec,
      endSec: speechSegment.endSec,
      text,
      tokens: decoded.tokens,
      temperature: options.temperature,
      avgLogprob: avgLogprob(decoded),
      compressionRatio: compressionRatio(text),
      noSpeechProb: 1 - speechSegment.voiceProb,
      seekFrames: Math.round(speechSegment.offsetSec * 100),
      language,
    };
    if (hasWordTimes(options)) result.words = alignWords(speechSegment, decoded);
    return result;
  }

  function alignWords(speechSegment: SpeechSegment, decoded: DecodedSegment): TranscriptWord[] {
    const frames = decoded.attentions[0]?.[0]?.length ?? 1;
    const secPerFrame = padToMinLength(speechSegment.samples).length / sampleRateHz / frames;
    const tokenStartsSec = alignTokens(decoded.attentions).map(
      (frame) => speechSegment.offsetSec + frame * secPerFrame,
    );
    return buildWords(decoded, tokenStartsSec, vocabulary, speechSegment);
  }

  /**
   * Transcribes both halves separately, cut at the quietest position: pauses within a segment make the model stop
   * early.
   */
  async function retranscribeHalves(
    speechSegment: SpeechSegment,
    first: TranscriptSegment,
    options: TranscribeOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment> {
    const halves = splitAtQuietestMoment(speechSegment);
    const halfResults: TranscriptSegment[] = [];
    for (const half of halves)
      halfResults.push(...(await transcribeBatch([half], options, signal)));
    const combined = combineHalves(first, halfResults);
    const isRepeating = first.compressionRatio > maxCompressionRatio;
    return isRepeating || countWords(combined.text) > countWords(first.text) ? combined : first;
  }

  return {
    async transcribe(speechSegments, options, signal) {
      const segments: TranscriptSegment[] = [];
      for (let from = 0; from < speechSegments.length; from += graphs.maxBatchRows)
        segments.push(
          ...(await transcribeBatch(
            speechSegments.slice(from, from + graphs.maxBatchRows),
            options,
            signal,
          )),
        );
      for (const [index, transcriptSegment] of segments.entries()) {
        const speechSegment = speechSegments[index] as SpeechSegment;
        if (needsRetry(speechSegment, transcriptSegment))
          segments[index] = await retranscribeHalves(
            speechSegment,
            transcriptSegment,
            options,
            signal,
          );
      }
      return segments.map((transcriptSegment) =>
        transcriptSegment.text === "" ? [] : [transcriptSegment],
      );
    },
    close: () => graphs.close(),
  };
}

/** The result of the whole segment, with the text of its halves. */
function combineHalves(
  whole: TranscriptSegment,
  halves: readonly TranscriptSegment[],
): TranscriptSegment {
  const text = halves
    .map((half) => half.text)
    .filter(Boolean)
    .join(" ");
  const weights = halves.map((half) => half.tokens.length + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const combined: TranscriptSegment = {
    ...whole,
    text,
    tokens: halves.flatMap((half) => half.tokens),
    avgLogprob:
      halves.reduce((sum, half, index) => sum + half.avgLogprob * (weights[index] ?? 0), 0) / total,
    compressionRatio: compressionRatio(text),
  };
  if (whole.words !== undefined) combined.words = halves.flatMap((half) => half.words ?? []);
  return combined;
}

function padToMinLength(samples: Float32Array): Float32Array {
  const minSamples = minSegmentSec * sampleRateHz;
  if (samples.length >= minSamples) return samples;
  const paddedSamples = new Float32Array(minSamples);
  paddedSamples.set(samples);
  return paddedSamples;
}

function needsRetry(
  { startSec, endSec, voicedSec }: SpeechSegment,
  { text, compressionRatio: ratio }: TranscriptSegment,
): boolean {
  if (endSec - startSec < minSplitSec) return false;
  return ratio > maxCompressionRatio || hasTooFewWords(countWords(text), voicedSec);
}

/** Cuts a segment at the quietest tenth of a second of its middle half. */
function splitAtQuietestMoment(speechSegment: SpeechSegment): SpeechSegment[] {
  const { samples } = speechSegment;
  const window = sampleRateHz / 10;
  let cut = samples.length >> 1;
  let quietest = Infinity;
  for (
    let from = samples.length >> 2;
    from + window < (samples.length * 3) >> 2;
    from += window / 4
  ) {
    let energy = 0;
    for (let at = from; at < from + window; at += 1) energy += (samples[at] as number) ** 2;
    if (energy < quietest) {
      quietest = energy;
      cut = from + window / 2;
    }
  }
  const cutSec = speechSegment.offsetSec + cut / sampleRateHz;
  const firstShare = cut / samples.length;
  return [
    {
      ...speechSegment,
      samples: samples.subarray(0, cut),
      endSec: cutSec,
      voicedSec: speechSegment.voicedSec * firstShare,
    },
    {
      ...speechSegment,
      samples: samples.subarray(cut),
      offsetSec: cutSec,
      startSec: cutSec,
      voicedSec: speechSegment.voicedSec * (1 - firstShare),
    },
  ];
}

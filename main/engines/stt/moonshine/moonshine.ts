// Moonshine: speech to text in one language, English in the model that is shipped. Encodes segments one by one, decodes
// them as a batch, retries segments that seem to lack words (retry-in-halves.ts), and computes word times.

import type { TranscriptSegment, TranscriptWord } from "../../../contract/speech.ts";
import {
  type TranscribeOptions,
  type SpeechSegment,
  type SpeechToText,
  sttSampleRateHz,
} from "../../engine.ts";
import type { ModelFiles } from "../../model-files.ts";
import { avgLogprob, compressionRatio } from "../scores.ts";
import { alignTokens } from "../word-alignment.ts";
import { decode, type DecodedSegment } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { createMergedGraphs } from "./merged-graphs.ts";
import { needsRetry, retranscribeHalves } from "./retry-in-halves.ts";
import { readVocabulary } from "./vocabulary.ts";
import { alignmentHeads, buildWords } from "./word-timing.ts";

/** Maximum number of tokens per second of speech, but at least eight tokens (Moonshine's own rule). */
const tokensPerSec = 6.5;
const minTokens = 8;
/** Other languages' letters take more tokens. */
const tokensPerSecElsewhere = 13;
const languagesOfFewTokens = new Set(["en", "es"]);
/** The model recognizes nothing in shorter audio, so silence is appended. */
const minSegmentSec = 0.6;

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
        Math.max(minTokens, Math.ceil((maxTokensPerSec * samples.length) / sttSampleRateHz)),
      ),
      ...(speechSegments.length === 1 && options.expectedTokens !== undefined
        ? { expectedTokens: options.expectedTokens }
        : {}),
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
    const secPerFrame = padToMinLength(speechSegment.samples).length / sttSampleRateHz / frames;
    const tokenStartsSec = alignTokens(decoded.attentions).map(
      (frame) => speechSegment.offsetSec + frame * secPerFrame,
    );
    return buildWords(decoded, tokenStartsSec, vocabulary, speechSegment);
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
        if (options.isDraft !== true && needsRetry(speechSegment, transcriptSegment))
          segments[index] = await retranscribeHalves(speechSegment, transcriptSegment, (half) =>
            transcribeBatch([half], options, signal),
          );
      }
      return segments.map((transcriptSegment) =>
        transcriptSegment.text === "" ? [] : [transcriptSegment],
      );
    },
    close: () => graphs.close(),
  };
}

function padToMinLength(samples: Float32Array): Float32Array {
  const minSamples = minSegmentSec * sttSampleRateHz;
  if (samples.length >= minSamples) return samples;
  const paddedSamples = new Float32Array(minSamples);
  paddedSamples.set(samples);
  return paddedSamples;
}

// Moonshine: English speech to text. Encodes pieces one by one, decodes them as a batch, hears again what looks
// lost, and places words in time.

import type { TranscriptSegment, TranscriptWord } from "../../../contract/speech.ts";
import type { HearingOptions, SpeechPiece, SpeechToText } from "../../engine.ts";
import { countWords, looksLost } from "../lost-words.ts";
import { avgLogprob, compressionRatio, maxCompressionRatio } from "../scores.ts";
import { alignTokens } from "../word-alignment.ts";
import { decode, type Decoded } from "./decoding.ts";
import { createGraphs } from "./graphs.ts";
import { createVocabulary } from "./vocabulary.ts";
import { alignmentHeads, joinWords } from "./words.ts";

const sampleRateHz = 16_000;
/** The most tokens a second of speech can hold, and never fewer than eight (Moonshine's own rule). */
const tokensPerSec = 6.5;
const minTokens = 8;
/** The model hears nothing in less than this; silence is added behind. */
const minPieceSec = 0.6;
/** Pieces shorter than this are not split again. */
const minSplitSec = 2.5;

/** @param read gives the verified bytes of a file of the model @param random for sampling, 0 to 1 */
export async function createMoonshine(
  read: (fileName: string) => Promise<Uint8Array>,
  random: () => number = Math.random,
): Promise<SpeechToText> {
  const vocabulary = createVocabulary(
    JSON.parse(new TextDecoder().decode(await read("vocabulary.json"))) as string[],
  );
  const graphs = await createGraphs(read);

  async function hear(
    pieces: readonly SpeechPiece[],
    options: HearingOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment[]> {
    const batch = await graphs.encode(pieces.map(({ samples }) => padded(samples)));
    const decoded = await decode(graphs, batch, {
      temperature: options.temperature,
      maxTokens: pieces.map(({ samples }) =>
        Math.max(minTokens, Math.ceil((tokensPerSec * samples.length) / sampleRateHz)),
      ),
      heads: options.wordTimes ? alignmentHeads : [],
      random,
      signal,
    });
    return decoded.map((result, index) => segment(pieces[index] as SpeechPiece, result, options));
  }

  function segment(
    piece: SpeechPiece,
    decoded: Decoded,
    options: HearingOptions,
  ): TranscriptSegment {
    const text = vocabulary.decode(decoded.tokens).trim();
    const result: TranscriptSegment = {
      startSec: piece.startSec,
      endSec: piece.endSec,
      text,
      tokens: decoded.tokens,
      temperature: options.temperature,
      avgLogprob: avgLogprob(decoded),
      compressionRatio: compressionRatio(text),
      noSpeechProb: 1 - piece.voiceProb,
      seekFrames: Math.round(piece.offsetSec * 100),
      language: "en",
    };
    if (options.wordTimes) result.words = words(piece, decoded);
    return result;
  }

  function words(piece: SpeechPiece, decoded: Decoded): TranscriptWord[] {
    const frames = decoded.attentions[0]?.[0]?.length ?? 1;
    const secPerFrame = padded(piece.samples).length / sampleRateHz / frames;
    const begins = alignTokens(decoded.attentions).map(
      (frame) => piece.offsetSec + frame * secPerFrame,
    );
    return joinWords(decoded, begins, vocabulary, piece);
  }

  /** Both halves by themselves, cut where it is quietest: pauses within a piece make the model stop early. */
  async function hearAgain(
    piece: SpeechPiece,
    first: TranscriptSegment,
    options: HearingOptions,
    signal: AbortSignal,
  ): Promise<TranscriptSegment> {
    const halves = splitAtQuietest(piece);
    const parts: TranscriptSegment[] = [];
    for (const half of halves) parts.push(...(await hear([half], options, signal)));
    const text = parts
      .map((part) => part.text)
      .filter(Boolean)
      .join(" ");
    const looping = first.compressionRatio > maxCompressionRatio;
    if (!looping && countWords(text) <= countWords(first.text)) return first;
    const tokens = parts.flatMap((part) => part.tokens);
    const weights = parts.map((part) => part.tokens.length + 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const joined: TranscriptSegment = {
      ...first,
      text,
      tokens,
      avgLogprob:
        parts.reduce((sum, part, index) => sum + part.avgLogprob * (weights[index] ?? 0), 0) /
        total,
      compressionRatio: compressionRatio(text),
    };
    if (options.wordTimes) joined.words = parts.flatMap((part) => part.words ?? []);
    return joined;
  }

  return {
    async run(pieces, options, signal) {
      const segments = await hear(pieces, options, signal);
      for (const [index, found] of segments.entries()) {
        const piece = pieces[index] as SpeechPiece;
        if (isWorthAnotherTry(piece, found))
          segments[index] = await hearAgain(piece, found, options, signal);
      }
      return segments.map((found) => (found.text === "" ? [] : [found]));
    },
    close: () => graphs.close(),
  };
}

function padded(samples: Float32Array): Float32Array {
  const least = minPieceSec * sampleRateHz;
  if (samples.length >= least) return samples;
  const longer = new Float32Array(least);
  longer.set(samples);
  return longer;
}

function isWorthAnotherTry(
  { startSec, endSec, voicedSec }: SpeechPiece,
  { text, compressionRatio: ratio }: TranscriptSegment,
): boolean {
  if (endSec - startSec < minSplitSec) return false;
  return ratio > maxCompressionRatio || looksLost(countWords(text), voicedSec);
}

/** Cuts a piece in two at its quietest tenth of a second, in the middle half. */
function splitAtQuietest(piece: SpeechPiece): SpeechPiece[] {
  const { samples } = piece;
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
  const cutSec = piece.offsetSec + cut / sampleRateHz;
  const share = cut / samples.length;
  return [
    {
      ...piece,
      samples: samples.subarray(0, cut),
      endSec: cutSec,
      voicedSec: piece.voicedSec * share,
    },
    {
      ...piece,
      samples: samples.subarray(cut),
      offsetSec: cutSec,
      startSec: cutSec,
      voicedSec: piece.voicedSec * (1 - share),
    },
  ];
}

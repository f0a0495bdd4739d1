// Decodes windows with openai/whisper's temperature fallback: again at higher temperatures if their text fails the
// checks.

import type { LanguageProbability, TranscribeOptions } from "../../engine.ts";
import { listTerms } from "../../../contract/vocabulary.ts";
import { avgLogprob, compressionRatio, maxCompressionRatio } from "../scores.ts";
import type { WhisperConfiguration, WhisperVocabulary } from "./configuration.ts";
import { decode, type DecodedText, type EncodedWindow } from "./decoding.ts";
import type { Graphs } from "./graphs.ts";
import { areSameLanguage, minCertainProbability } from "./shared-windows.ts";
import { type DecodedWindow, isLowConfidence, isSilence } from "./window-transcript.ts";

const temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];

type DecodeWithFallback = (
  windows: readonly EncodedWindow[],
  options: TranscribeOptions,
  attentions: boolean,
  signal: AbortSignal,
) => Promise<DecodedWindow[]>;

export function createFallbackDecoder(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  vocabulary: WhisperVocabulary,
): DecodeWithFallback {
  const maxPreviousTokens = (configuration.maxSequence >> 1) - 1;

  /**
   * The later text if it passes the checks. If none does, not the last one, as openai/whisper does, but the one with
   * the highest confidence that does not repeat itself.
   */
  function chooseBetter(earlier: DecodedWindow | undefined, later: DecodedWindow): DecodedWindow {
    if (earlier === undefined || !needsFallback(later.decoded)) return later;
    const [score, laterScore] = [earlier, later].map(({ decoded }) =>
      isRepetitive(decoded) ? -Infinity : avgLogprob(decoded),
    ) as [number, number];
    return laterScore > score ? later : earlier;
  }

  const isRepetitive = ({ tokens }: DecodedText): boolean =>
    compressionRatio(vocabulary.decode(tokens)) > maxCompressionRatio;

  function needsFallback(decoded: DecodedText): boolean {
    // Silence is no reason to retry.
    return !isSilence(decoded) && (isLowConfidence(decoded) || isRepetitive(decoded));
  }

  /** Terms only get the room that the prompt leaves. */
  function encodePrompt({ prompt, terms = [] }: TranscribeOptions): number[] {
    const promptTokens =
      prompt === undefined ? [] : vocabulary.encode(` ${prompt.trim()}`).slice(-maxPreviousTokens);
    const maxTermTokens = maxPreviousTokens - promptTokens.length;
    const list = listTerms(terms, (text) => vocabulary.encode(` ${text}`).length <= maxTermTokens);
    return list === "" ? promptTokens : [...vocabulary.encode(` ${list}`), ...promptTokens];
  }

  return async (windows, options, attentions, signal) => {
    const decodedWindows: DecodedWindow[] = [];
    const previousTokens = encodePrompt(options);
    let pending = [...windows.entries()];
    const hasFallback = options.temperature === 0 && options.isDraft !== true;
    for (const temperature of hasFallback ? temperatures : [options.temperature]) {
      const decoded = await decode(
        graphs,
        configuration,
        pending.map(([, window]) => window),
        {
          task: options.task,
          timestamps: options.timestamps === true,
          language:
            options.language ??
            ((bestLanguages) => chooseLanguage(bestLanguages, options.likelyLanguage)),
          likelyLanguage: options.likelyLanguage,
          acceptLanguages: areSameLanguage,
          previousTokens,
          ...(windows.length === 1 && options.expectedTokens !== undefined
            ? { expectedTokens: options.expectedTokens }
            : {}),
          temperature,
          attentions,
          signal,
        },
      );
      const attempts = pending.map(([index], position) => ({
        index,
        result: { decoded: decoded[position] as DecodedText, temperature },
      }));
      for (const { index, result } of attempts)
        decodedWindows[index] = chooseBetter(decodedWindows[index], result);
      pending = pending
        .filter((_, position) => needsFallback(decoded[position] as DecodedText))
        .map(([index, { states, frames }]) => [index, { states, frames }]);
      if (pending.length === 0) break;
    }
    return decodedWindows;
  };
}

function chooseLanguage(
  [best, ...others]: readonly LanguageProbability[],
  likelyLanguage: string | undefined,
): string {
  if (best === undefined) throw new Error("the model knows no languages");
  const likelyMatch = others.find((guess) => guess.language === likelyLanguage);
  return likelyMatch === undefined || best.probability >= minCertainProbability
    ? best.language
    : likelyMatch.language;
}

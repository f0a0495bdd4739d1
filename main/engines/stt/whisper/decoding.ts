// Chooses tokens step by step for a batch of encoded windows. Scores follow openai/whisper: log-softmax of the chosen
// token after the rules, including the end token; no-speech probability at the start token, before the rules.

import type { Tensor } from "onnxruntime-node";
import type { LanguageProbability } from "../../engine.ts";
import { chooseToken, logSumExp, seededRandom, tokenAttention } from "../decoder-step.ts";
import type { WhisperConfiguration } from "./configuration.ts";
import type { Cursor, Graphs, Step } from "./graphs.ts";
import { applyTokenRules } from "./token-rules.ts";

/** Encoder output of a window. */
export type EncodedWindow = {
  states: Tensor;
  /** Encoder frames that contain audio. */
  frames: number;
  /** Ranges of the window that may differ in language. */
  ranges?: readonly FrameRange[];
};

/** Encoder frames `from` to `to` (exclusive). */
export type FrameRange = { from: number; to: number };

export type DecodedText = {
  /** Including timestamps, without start and end token. */
  tokens: number[];
  /** One more than `tokens` if the end token was reached. */
  logProbs: number[];
  noSpeechProb: number;
  /** Language used for decoding; undefined if the model knows only English. */
  language: string | undefined;
  /** The most probable language of each of the window's ranges. */
  rangeLanguages: (LanguageProbability | undefined)[];
  /** Token (including the end token) → alignment head → attention over the window's frames; only if requested. */
  attentions: Float32Array[][];
};

export type DecodeOptions = {
  task: "transcribe" | "translate";
  timestamps: boolean;
  /** The language of all windows, or a function that chooses one from each window's probabilities. */
  language: string | ((probabilities: readonly LanguageProbability[]) => string);
  /** What the function will probably choose: saves time if it does for all windows. */
  likelyLanguage?: string | undefined;
  /** Windows whose ranges' languages do not pass are not decoded: they have no tokens. */
  acceptLanguages?: (bestLanguages: readonly (LanguageProbability | undefined)[]) => boolean;
  /** Tokens of the text before. */
  previousTokens: readonly number[];
  /** Those of a single window are computed in one step, up to the first one that is not chosen. */
  expectedTokens?: readonly number[];
  /** Above 0 tokens are sampled, with the same result for the same audio. */
  temperature: number;
  attentions: boolean;
  signal: AbortSignal;
};

/**
 * Limits the prompt tokens per decoder call over all rows: each one returns logits for the whole vocabulary, 0.2 MB.
 */
const maxPromptTokensPerBatch = 256;

/** Splits windows into batches that keep memory low. */
export async function decode(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
): Promise<DecodedText[]> {
  const batchSize = Math.max(
    1,
    Math.floor(maxPromptTokensPerBatch / (options.previousTokens.length + maxPromptPrefixTokens)),
  );
  const decoded: DecodedText[] = [];
  for (let from = 0; from < windows.length; from += batchSize)
    decoded.push(
      ...(await decodeBatch(graphs, configuration, windows.slice(from, from + batchSize), options)),
    );
  return decoded;
}

/** Markers for text before, start, language, task, no timestamps: one token each. */
const maxPromptPrefixTokens = 5;

async function decodeBatch(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
): Promise<DecodedText[]> {
  const { endToken, noSpeechToken, maxSequence } = configuration;
  const heads = options.attentions ? configuration.alignmentHeads : [];
  const layers = [...new Set(heads.map(({ layer }) => layer))];
  const start = await startDecoding(graphs, configuration, windows, options, layers);
  const { cursor, promptLength } = start;
  const rangeLanguages = await detectRangeLanguages(graphs, configuration, windows, cursor);
  const allRows = windows.map(({ frames }, row) => {
    const bestLanguages = rangeLanguages[row] ?? [];
    const decoded: DecodedText = {
      tokens: [],
      logProbs: [],
      noSpeechProb: probability(start.startTokenLogits(row), noSpeechToken),
      language: start.languages[row],
      rangeLanguages: bestLanguages,
      attentions: [],
    };
    return {
      frames,
      decoded,
      done: options.acceptLanguages?.(bestLanguages) === false,
      random: seededRandom(Math.round(100 * options.temperature)),
    };
  });
  // The last token is not fed to the decoder again.
  const maxTokens = Math.min(maxSequence >> 1, maxSequence + 1 - promptLength);
  let { step, lastPosition, expectedTokens } = start;
  /** The rows of the cursor. */
  let rows = allRows;
  for (;;) {
    options.signal.throwIfAborted();
    for (const [index, row] of rows.entries()) {
      if (row.done) continue;
      const { decoded } = row;
      const logits = step.logits(index, lastPosition);
      applyTokenRules(logits, decoded.tokens, options.timestamps, configuration);
      const { token, logProb } = chooseToken(logits, options.temperature, row.random);
      decoded.logProbs.push(logProb);
      if (heads.length > 0)
        decoded.attentions.push(
          heads.map((head) =>
            tokenAttention(step.attentions.get(head.layer), head, index, lastPosition, row.frames),
          ),
        );
      if (token === endToken) row.done = true;
      else decoded.tokens.push(token);
      if (decoded.tokens.length >= maxTokens) row.done = true;
    }
    const { tokens: chosenTokens } = (rows[0] as (typeof rows)[number]).decoded;
    const isExpected =
      chosenTokens.length > 0 && chosenTokens.at(-1) === expectedTokens[chosenTokens.length - 1];
    if (isExpected && rows[0]?.done === false) {
      lastPosition += 1;
      continue;
    }
    const remaining = [...rows.keys()].filter((index) => rows[index]?.done === false);
    if (remaining.length === 0) {
      graphs.free(cursor);
      return allRows.map(({ decoded }) => decoded);
    }
    if (expectedTokens.length > 0) graphs.keepTokens(cursor, lastPosition + 1);
    expectedTokens = [];
    if (remaining.length < rows.length) graphs.keepRows(cursor, remaining);
    rows = rows.filter(({ done }) => !done);
    step = await graphs.step(
      cursor,
      rows.map(({ decoded }) => decoded.tokens.slice(-1)),
      layers,
    );
    lastPosition = 0;
  }
}

type DecodeStart = {
  cursor: Cursor;
  promptLength: number;
  languages: (string | undefined)[];
  /** Logits of a row after the start token. */
  startTokenLogits(row: number): Float32Array;
  /** The logits at token index `lastPosition` are those of the first text token. */
  step: Step;
  lastPosition: number;
  /** Fed after the prompt. */
  expectedTokens: readonly number[];
};

/** Feeds text before, start, language, task and timestamp mode; detects the language if it is unknown. */
async function startDecoding(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
  layers: readonly number[],
): Promise<DecodeStart> {
  const { startToken } = configuration;
  const { language: requestedLanguage } = options;
  const previous =
    options.previousTokens.length === 0
      ? []
      : [configuration.previousToken, ...options.previousTokens];
  const states = windows.map((window) => window.states);
  const likelyStart = await startWithLikelyLanguage(graphs, configuration, states, options, layers);
  if (likelyStart !== undefined) return likelyStart;
  const cursor = graphs.begin(states);
  // From the audio alone, since a text before it would influence the result.
  const startStep =
    typeof requestedLanguage === "function" && configuration.languages.size > 0
      ? await graphs.step(
          cursor,
          states.map(() => [startToken]),
          [],
        )
      : undefined;
  const languages = states.map((_, row) => {
    if (configuration.languages.size === 0) return undefined;
    return typeof requestedLanguage === "string"
      ? requestedLanguage
      : requestedLanguage(
          rankLanguages((startStep as Step).logits(row, 0), configuration.languages),
        );
  });
  const prompts = languages.map((language) => [
    ...previous,
    ...promptTokens(language, options, configuration),
  ]);
  const promptLength = prompts[0]?.length ?? 0;
  if (startStep === undefined || previous.length > 0) {
    if (startStep !== undefined) graphs.free(cursor);
    const promptCursor = startStep === undefined ? cursor : graphs.begin(states);
    const maxExpectedTokens = configuration.maxSequence - promptLength;
    const expectedTokens = (options.expectedTokens ?? []).slice(0, maxExpectedTokens);
    const step = await graphs.step(
      promptCursor,
      prompts.map((prompt) => [...prompt, ...expectedTokens]),
      layers,
    );
    return {
      expectedTokens,
      cursor: promptCursor,
      promptLength,
      languages,
      startTokenLogits: (row) => step.logits(row, previous.length),
      step,
      lastPosition: promptLength - 1,
    };
  }
  let step = startStep;
  for (let position = 1; position < promptLength; position += 1) {
    step = await graphs.step(
      cursor,
      prompts.map((prompt) => [prompt[position] as number]),
      position === promptLength - 1 ? layers : [],
    );
  }
  return {
    cursor,
    promptLength,
    languages,
    startTokenLogits: (row) => startStep.logits(row, 0),
    step,
    lastPosition: 0,
    expectedTokens: [],
  };
}

/**
 * Feeds the whole prompt for the likely language in one step, whose first logits tell the language. Undefined if it is
 * another one in some row, or if text before the start token would influence the result.
 */
async function startWithLikelyLanguage(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  states: readonly Tensor[],
  options: DecodeOptions,
  layers: readonly number[],
): Promise<DecodeStart | undefined> {
  const { likelyLanguage, language: chooseLanguage, previousTokens } = options;
  if (
    likelyLanguage === undefined ||
    typeof chooseLanguage === "string" ||
    previousTokens.length > 0 ||
    !configuration.languages.has(likelyLanguage)
  )
    return undefined;
  const cursor = graphs.begin(states);
  const prompt = promptTokens(likelyLanguage, options, configuration);
  const step = await graphs.step(
    cursor,
    states.map(() => prompt),
    layers,
  );
  const languages = states.map((_, row) =>
    chooseLanguage(rankLanguages(step.logits(row, 0), configuration.languages)),
  );
  if (languages.some((language) => language !== likelyLanguage)) {
    graphs.free(cursor);
    return undefined;
  }
  return {
    cursor,
    promptLength: prompt.length,
    languages,
    startTokenLogits: (row) => step.logits(row, 0),
    step,
    lastPosition: prompt.length - 1,
    expectedTokens: [],
  };
}

function promptTokens(
  language: string | undefined,
  { task, timestamps }: DecodeOptions,
  configuration: WhisperConfiguration,
): number[] {
  const { startToken, noTimestampsToken, tasks } = configuration;
  return [
    startToken,
    ...(language === undefined ? [] : [languageToken(language, configuration)]),
    // English speech is its own translation.
    ...(tasks === undefined ? [] : [tasks[language === "en" ? "transcribe" : task]]),
    ...(timestamps ? [] : [noTimestampsToken]),
  ];
}

function languageToken(language: string, { languages }: WhisperConfiguration): number {
  const token = languages.get(language);
  if (token === undefined) throw new Error(`the model does not know the language ${language}`);
  return token;
}

/** Languages from the window's audio alone, the most probable first; empty if the model knows only English. */
export async function detectLanguages(
  graphs: Graphs,
  { startToken, languages }: WhisperConfiguration,
  { states }: EncodedWindow,
): Promise<LanguageProbability[]> {
  if (languages.size === 0) return [];
  const cursor = graphs.begin([states]);
  const { logits } = await graphs.step(cursor, [[startToken]], []);
  const probabilities = rankLanguages(logits(0, 0), languages);
  graphs.free(cursor);
  return probabilities;
}

/** The most probable language of each range of each row. */
async function detectRangeLanguages(
  graphs: Graphs,
  { startToken, languages }: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  cursor: Cursor,
): Promise<(LanguageProbability | undefined)[][]> {
  const bestLanguages: (LanguageProbability | undefined)[][] = [];
  for (const [row, { ranges = [] }] of windows.entries()) {
    const best: (LanguageProbability | undefined)[] = [];
    for (const { from, to } of languages.size === 0 ? [] : ranges) {
      const range = graphs.beginRange(cursor, row, from, to);
      const { logits } = await graphs.step(range, [[startToken]], []);
      best.push(rankLanguages(logits(0, 0), languages)[0]);
      graphs.free(range);
    }
    bestLanguages.push(best);
  }
  return bestLanguages;
}

/** Softmax over language tokens only. */
function rankLanguages(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): LanguageProbability[] {
  const languageLogits = Float32Array.from(languages.values(), (token) => logits[token] as number);
  const total = logSumExp(languageLogits);
  return Array.from(languages.keys(), (language, index) => ({
    language,
    probability: Math.exp((languageLogits[index] as number) - total),
  })).sort((one, other) => other.probability - one.probability);
}

/** Probability of a token by softmax over all tokens. */
const probability = (logits: Float32Array, token: number): number =>
  Math.exp((logits[token] as number) - logSumExp(logits));

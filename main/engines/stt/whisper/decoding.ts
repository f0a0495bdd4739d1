// Chooses tokens step by step for a batch of encoded windows. Figures follow openai/whisper: log-softmax of the
// chosen token after the rules, the end token's included; the probability of no speech at the start token, before.

import type { Tensor } from 'onnxruntime-node';
import type { LanguageGuess } from '../../engine.ts';
import { choose, logSum, newestAttention } from '../decoder-step.ts';
import type { WhisperConfiguration } from './configuration.ts';
import type { Graphs, Step } from './graphs.ts';
import { applyRules } from './rules.ts';

/** A window as the encoder gave it. */
export type EncodedWindow = { states: Tensor; /** Encoder frames that hold sound. */ frames: number };

export type Decoded = {
  /** Timestamps included, without start and end token. */
  tokens: number[];
  /** One more than `tokens` where the end was reached. */
  logProbs: number[];
  noSpeechProb: number;
  /** The language it was decoded as; absent where the model knows English only. */
  language: string | undefined;
  /** Token, the end included → alignment head → attention over the window's frames; only when asked for. */
  attentions: Float32Array[][];
};

export type DecodeOptions = {
  task: 'transcribe' | 'translate';
  timestamps: boolean;
  /** Chosen from the guesses for each window. */
  language: (guesses: readonly LanguageGuess[]) => string;
  /** Tokens of the text before. */
  previous: readonly number[];
  temperature: number;
  attentions: boolean;
  random: () => number;
  signal: AbortSignal;
};

export async function decode(graphs: Graphs, configuration: WhisperConfiguration, windows: readonly EncodedWindow[], options: DecodeOptions): Promise<Decoded[]> {
  const { startToken, endToken, noTimestampsToken, noSpeechToken, languages, tasks } = configuration;
  const cursor = graphs.begin(windows.map(({ states }) => states));
  const heads = options.attentions ? configuration.alignmentHeads : [];
  const layers = [...new Set(heads.map(({ layer }) => layer))];

  const previous = options.previous.length === 0 ? [] : [configuration.previousToken, ...options.previous];
  const started = await graphs.step(cursor, windows.map(() => [...previous, startToken]), []);
  const rows = windows.map(({ frames }, row) => {
    const logits = rowOf(started.logits, row, windows.length);
    const language = languages.size === 0 ? undefined : options.language(guessLanguages(logits, languages));
    const decoded: Decoded = { tokens: [], logProbs: [], noSpeechProb: probability(logits, noSpeechToken), language, attentions: [] };
    return { frames, decoded, done: false };
  });

  let next = rows.map(({ decoded: { language } }) => [
    ...(language === undefined ? [] : [languages.get(language) as number]),
    // English speech is its own translation.
    ...(tasks === undefined ? [] : [tasks[language === 'en' ? 'transcribe' : options.task]]),
    ...(options.timestamps ? [] : [noTimestampsToken]),
  ]);
  // An English model that writes timestamps has nothing more to be told: its start token was the last one.
  let step: Step = next[0]?.length === 0 ? started : await graphs.step(cursor, next, layers);
  const mostTokens = configuration.maxSequence >> 1;
  for (;;) {
    options.signal.throwIfAborted();
    next = rows.map((row, index) => {
      if (row.done) return [endToken];
      const { decoded } = row;
      const logits = rowOf(step.logits, index, rows.length);
      applyRules(logits, decoded.tokens, options.timestamps, configuration);
      const { token, logProb } = choose(logits, options.temperature, options.random);
      decoded.logProbs.push(logProb);
      if (heads.length > 0) decoded.attentions.push(heads.map((head) => newestAttention(step.attentions.get(head.layer), head, index, row.frames)));
      if (token === endToken) row.done = true;
      else decoded.tokens.push(token);
      if (decoded.tokens.length >= mostTokens) row.done = true;
      return [token];
    });
    if (rows.every(({ done }) => done)) return rows.map(({ decoded }) => decoded);
    step = await graphs.step(cursor, next, layers);
  }
}

/** Languages by the window's sound alone, the most probable first; none where the model knows English only. */
export async function detectLanguages(graphs: Graphs, { startToken, languages }: WhisperConfiguration, { states }: EncodedWindow): Promise<LanguageGuess[]> {
  const { logits } = await graphs.step(graphs.begin([states]), [[startToken]], []);
  return guessLanguages(logits, languages);
}

/** Softmax over the languages' tokens alone. */
function guessLanguages(logits: Float32Array, languages: ReadonlyMap<string, number>): LanguageGuess[] {
  const of = Float32Array.from(languages.values(), (token) => logits[token] as number);
  const total = logSum(of, Math.max(...of));
  return Array.from(languages.keys(), (language, index) => ({ language, probability: Math.exp((of[index] as number) - total) })).sort((one, other) => other.probability - one.probability);
}

function probability(logits: Float32Array, token: number): number {
  let top = -Infinity;
  for (const logit of logits) if (logit > top) top = logit;
  return Math.exp((logits[token] as number) - logSum(logits, top));
}

function rowOf(logits: Float32Array, row: number, rows: number): Float32Array {
  const size = logits.length / rows;
  return logits.subarray(row * size, (row + 1) * size);
}

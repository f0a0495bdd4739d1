// Chooses tokens step by step for a batch of encoded windows. Figures follow openai/whisper: log-softmax of the
// chosen token after the rules, the end token's included; the probability of no speech at the start token, before.

import type { Tensor } from "onnxruntime-node";
import type { LanguageGuess } from "../../engine.ts";
import { choose, logSum, newestAttention, seededRandom } from "../decoder-step.ts";
import type { WhisperConfiguration } from "./configuration.ts";
import type { Cursor, Graphs, Step } from "./graphs.ts";
import { applyRules } from "./rules.ts";

/** A window as the encoder gave it. */
export type EncodedWindow = {
  states: Tensor;
  /** Encoder frames that hold sound. */ frames: number;
};

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
  task: "transcribe" | "translate";
  timestamps: boolean;
  /** Of all windows, or chosen from the guesses for each. */
  language: string | ((guesses: readonly LanguageGuess[]) => string);
  /** Tokens of the text before. */
  previous: readonly number[];
  /** Above 0 tokens are drawn: the same ones each time the same is heard. */
  temperature: number;
  attentions: boolean;
  signal: AbortSignal;
};

/** Tokens of prompts fed at once over all rows: the decoder answers each of them with the whole vocabulary, 0.2 MB. */
const maxFedTogether = 256;

/** In as many batches as keep the memory low. */
export async function decode(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
): Promise<Decoded[]> {
  const together = Math.max(
    1,
    Math.floor(maxFedTogether / (options.previous.length + longestBeginning)),
  );
  const decoded: Decoded[] = [];
  for (let from = 0; from < windows.length; from += together)
    decoded.push(
      ...(await decodeTogether(
        graphs,
        configuration,
        windows.slice(from, from + together),
        options,
      )),
    );
  return decoded;
}

/** Text before, start, language, task, no timestamps: one token each. */
const longestBeginning = 5;

async function decodeTogether(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
): Promise<Decoded[]> {
  const { endToken, noSpeechToken, maxSequence } = configuration;
  const heads = options.attentions ? configuration.alignmentHeads : [];
  const layers = [...new Set(heads.map(({ layer }) => layer))];
  const begun = await begin(graphs, configuration, windows, options, layers);
  const { cursor, promptLength } = begun;
  const rows = windows.map(({ frames }, row) => {
    const decoded: Decoded = {
      tokens: [],
      logProbs: [],
      noSpeechProb: probability(begun.atStart(row), noSpeechToken),
      language: begun.languages[row],
      attentions: [],
    };
    return {
      frames,
      decoded,
      done: false,
      random: seededRandom(Math.round(100 * options.temperature)),
    };
  });
  // The last token is not fed any more.
  const maxTokens = Math.min(maxSequence >> 1, maxSequence + 1 - promptLength);
  let { step, last } = begun;
  for (;;) {
    options.signal.throwIfAborted();
    const next = rows.map((row, index) => {
      if (row.done) return [endToken];
      const { decoded } = row;
      const logits = step.logits(index, last);
      applyRules(logits, decoded.tokens, options.timestamps, configuration);
      const { token, logProb } = choose(logits, options.temperature, row.random);
      decoded.logProbs.push(logProb);
      if (heads.length > 0)
        decoded.attentions.push(
          heads.map((head) =>
            newestAttention(step.attentions.get(head.layer), head, index, row.frames),
          ),
        );
      if (token === endToken) row.done = true;
      else decoded.tokens.push(token);
      if (decoded.tokens.length >= maxTokens) row.done = true;
      return [token];
    });
    if (rows.every(({ done }) => done)) {
      graphs.free(cursor);
      return rows.map(({ decoded }) => decoded);
    }
    step = await graphs.step(cursor, next, layers);
    last = 0;
  }
}

type Begun = {
  cursor: Cursor;
  promptLength: number;
  languages: (string | undefined)[];
  /** A row's logits behind the start token. */
  atStart(row: number): Float32Array;
  /** Logits behind its token number `last` are those of the first token of the text. */
  step: Step;
  last: number;
};

/** Feeds text before, start token, language, task and whether there are timestamps; finds the language where it is not known. */
async function begin(
  graphs: Graphs,
  configuration: WhisperConfiguration,
  windows: readonly EncodedWindow[],
  options: DecodeOptions,
  layers: readonly number[],
): Promise<Begun> {
  const { startToken, noTimestampsToken, tasks } = configuration;
  const { language: wanted } = options;
  const previous =
    options.previous.length === 0 ? [] : [configuration.previousToken, ...options.previous];
  const states = windows.map((window) => window.states);
  const cursor = graphs.begin(states);
  // By the sound alone: a text before it would colour the guess.
  const alone =
    typeof wanted === "function" && configuration.languages.size > 0
      ? await graphs.step(
          cursor,
          states.map(() => [startToken]),
          [],
        )
      : undefined;
  const languages = states.map((_, row) => {
    if (configuration.languages.size === 0) return undefined;
    return typeof wanted === "string"
      ? wanted
      : wanted(guessLanguages((alone as Step).logits(row, 0), configuration.languages));
  });
  const prompts = languages.map((language) => [
    ...previous,
    startToken,
    ...(language === undefined ? [] : [languageToken(language, configuration)]),
    // English speech is its own translation.
    ...(tasks === undefined ? [] : [tasks[language === "en" ? "transcribe" : options.task]]),
    ...(options.timestamps ? [] : [noTimestampsToken]),
  ]);
  const promptLength = prompts[0]?.length ?? 0;
  if (alone === undefined || previous.length > 0) {
    if (alone !== undefined) graphs.free(cursor);
    const fresh = alone === undefined ? cursor : graphs.begin(states);
    const step = await graphs.step(fresh, prompts, layers);
    return {
      cursor: fresh,
      promptLength,
      languages,
      atStart: (row) => step.logits(row, previous.length),
      step,
      last: promptLength - 1,
    };
  }
  let step = alone;
  for (let place = 1; place < promptLength; place += 1) {
    step = await graphs.step(
      cursor,
      prompts.map((prompt) => [prompt[place] as number]),
      place === promptLength - 1 ? layers : [],
    );
  }
  return { cursor, promptLength, languages, atStart: (row) => alone.logits(row, 0), step, last: 0 };
}

function languageToken(language: string, { languages }: WhisperConfiguration): number {
  const token = languages.get(language);
  if (token === undefined) throw new Error(`the model does not know the language ${language}`);
  return token;
}

/** Languages by the window's sound alone, the most probable first; none where the model knows English only. */
export async function detectLanguages(
  graphs: Graphs,
  { startToken, languages }: WhisperConfiguration,
  { states }: EncodedWindow,
): Promise<LanguageGuess[]> {
  if (languages.size === 0) return [];
  const cursor = graphs.begin([states]);
  const { logits } = await graphs.step(cursor, [[startToken]], []);
  const guesses = guessLanguages(logits(0, 0), languages);
  graphs.free(cursor);
  return guesses;
}

/** Softmax over the languages' tokens alone. */
function guessLanguages(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): LanguageGuess[] {
  const of = Float32Array.from(languages.values(), (token) => logits[token] as number);
  const total = logSum(of);
  return Array.from(languages.keys(), (language, index) => ({
    language,
    probability: Math.exp((of[index] as number) - total),
  })).sort((one, other) => other.probability - one.probability);
}

/** Of a token by the softmax over all. */
const probability = (logits: Float32Array, token: number): number =>
  Math.exp((logits[token] as number) - logSum(logits));

// Parsed scripts that no narration in memory has yet: a long script is parsed in time slices before it is used.

import { AppError } from "../../contract/errors.ts";
import { runInSlices, runToCompletion } from "../../processes/time-slices.ts";
import { maxScriptSentences } from "../../text/script/character-budget.ts";
import { findUnpronounceableWordsInSteps } from "../../text/script/unpronounceable-words.ts";
import type { LoadedNarration } from "./loaded-narration.ts";
import { readSentences, type Sentence, type SentencesInput } from "./sentences.ts";

export type ParsedScript = Pick<
  LoadedNarration,
  "script" | "tooLongError" | "sentences" | "byId" | "unspeakable"
>;

export type ScriptInput = Omit<SentencesInput, "voices">;

export type ParsedScripts = {
  /** Parses a script in time slices, so that `consume` finds the result. */
  prepare(input: ScriptInput): Promise<ParsedScript>;
  /** Parses the script if it was not prepared. A prepared result is consumed once. */
  consume(input: ScriptInput): ParsedScript;
};

/** The window shows one narration, a few more are being generated. Together they hold at most `maxScriptSentences`. */
const maxCached = 8;

/** @param voices names that a script may use */
export function createParsedScripts(voices: () => readonly string[]): ParsedScripts {
  const prepared: (ParsedScript & { key: string })[] = [];

  /** Everything except the script that affects parsing. */
  const toKey = ({ options, pronunciations }: ScriptInput): string =>
    JSON.stringify([options, pronunciations, voices()]);

  const findIndex = (key: string, script: string): number =>
    prepared.findIndex((parsed) => parsed.key === key && parsed.script === script);

  return {
    async prepare(input) {
      const key = toKey(input);
      const existing = prepared[findIndex(key, input.script)];
      if (existing !== undefined) return existing;
      const parsed = await runInSlices(parseScript({ ...input, voices: voices() }));
      prepared.push({ ...parsed, key });
      prepared.splice(0, excessCount(prepared));
      return parsed;
    },
    consume(input) {
      const index = findIndex(toKey(input), input.script);
      const [parsed] = prepared.splice(index, index < 0 ? 0 : 1);
      return parsed ?? runToCompletion(parseScript({ ...input, voices: voices() }));
    },
  };
}

function* parseScript(input: SentencesInput): Generator<undefined, ParsedScript> {
  const { script } = input;
  let sentences: Sentence[];
  try {
    sentences = yield* readSentences(input);
  } catch (error) {
    if (!(error instanceof AppError) || error.key !== "string_too_long") throw error;
    return { script, tooLongError: error, sentences: [], byId: new Map(), unspeakable: [] };
  }
  const byId = new Map<string, Sentence>();
  for (const sentence of sentences) {
    yield;
    byId.set(sentence.id, sentence);
  }
  const unspeakable = yield* findUnpronounceableWordsInSteps(script);
  return { script, sentences, byId, unspeakable };
}

/** Number of oldest entries to remove from a cache. The newest entry is always kept. */
export function excessCount(all: readonly { sentences: readonly unknown[] }[]): number {
  let sentences = 0;
  const lastExcessIndex = all.findLastIndex((one, index) => {
    sentences += one.sentences.length;
    return (
      index < all.length - 1 && (sentences > maxScriptSentences || all.length - index > maxCached)
    );
  });
  return lastExcessIndex + 1;
}

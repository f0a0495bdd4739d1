// In-memory cache of narrations in use: sentences, takes and notes. All changes are written to the library first.

import { AppError } from "../../contract/errors.ts";
import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
  Pronunciation,
} from "../../contract/narration.ts";
import type {
  Narrations,
  SentenceNote,
  StoredNarration,
  StoredTake,
} from "../../library/narrations.ts";
import { maxScriptSentences } from "../../text/script/character-budget.ts";
import { detectOtherLanguage } from "../../text/script/detect-other-language.ts";
import { findUnpronounceableWordsInSteps } from "../../text/script/unpronounceable-words.ts";
import { runToCompletion, runInSlices } from "../../processes/time-slices.ts";
import { readSentences, type Sentence } from "./sentences.ts";

export type LoadedNarration = StoredNarration & {
  readonly itemId: string;
  /**
   * Set if the script, accepted by an earlier version, has too many sentences: `sentences` is empty until it is
   * shortened.
   */
  readonly tooLongError?: AppError | undefined;
  readonly sentences: readonly Sentence[];
  readonly byId: ReadonlyMap<string, Sentence>;
  /** Words of the script that an English voice cannot pronounce. */
  readonly unspeakable: readonly string[];
  /** By content, oldest first. */
  readonly takes: Map<string, StoredTake[]>;
  readonly notes: Map<string, SentenceNote>;
  readonly pronunciations: readonly Pronunciation[];
};

export type NarrationCacheDeps = {
  narrations: Narrations;
  pronunciations: { list(): readonly Pronunciation[] };
  /** Voice names that a script may use. */
  voices(): readonly string[];
};

export type NarrationCache = {
  /** The current state. @throws AppError `not_found` */
  get(itemId: string): LoadedNarration;
  /** Ids of the narrations in the cache. */
  recentItemIds(): string[];
  /** Like `prepare`, for the script of a new narration. @throws AppError `string_too_long` */
  prepareNew(script: string, options: NarrateOptions): Promise<void>;
  /**
   * Parses a script in time slices, so that `get` finds the result: the current script, a changed one, or one with
   * changed pronunciations.
   * @throws AppError `not_found`, or `string_too_long` for a changed script
   */
  prepare(
    itemId: string,
    change?: {
      script?: string;
      options?: NarrateOptions;
      pronunciations?: readonly Pronunciation[];
    },
  ): Promise<void>;
};

/** The window shows one narration, a few more are being generated. Together they hold at most `maxScriptSentences`. */
const maxCached = 8;

/** Result of parsing a script. */
type ParsedScript = Pick<
  LoadedNarration,
  "script" | "tooLongError" | "sentences" | "byId" | "unspeakable"
> & {
  key: string;
};

export function createNarrationCache({
  narrations,
  pronunciations,
  voices,
}: NarrationCacheDeps): NarrationCache {
  const loadedNarrations = new Map<string, LoadedNarration>();
  const parsedScripts: ParsedScript[] = [];

  /** Everything except the script that affects parsing. */
  const toCacheKey = (
    options: NarrateOptions,
    activePronunciations: readonly Pronunciation[],
  ): string => JSON.stringify([options, activePronunciations, voices()]);

  function* parseScript(
    script: string,
    options: NarrateOptions,
    activePronunciations: readonly Pronunciation[],
  ): Generator<undefined, ParsedScript> {
    const key = toCacheKey(options, activePronunciations);
    let sentences: Sentence[];
    try {
      sentences = yield* readSentences({
        script,
        options,
        pronunciations: activePronunciations,
        voices: voices(),
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== "string_too_long") throw error;
      return { key, script, tooLongError: error, sentences: [], byId: new Map(), unspeakable: [] };
    }
    const byId = new Map<string, Sentence>();
    for (const sentence of sentences) {
      yield;
      byId.set(sentence.id, sentence);
    }
    return {
      key,
      script,
      sentences,
      byId,
      unspeakable: yield* findUnpronounceableWordsInSteps(script),
    };
  }

  async function parseScriptAhead(
    script: string,
    options: NarrateOptions,
    activePronunciations: readonly Pronunciation[],
  ): Promise<ParsedScript> {
    const key = toCacheKey(options, activePronunciations);
    const existing = parsedScripts.find((one) => one.key === key && one.script === script);
    if (existing !== undefined) return existing;
    const parsed = await runInSlices(parseScript(script, options, activePronunciations));
    parsedScripts.push(parsed);
    parsedScripts.splice(0, excessCount(parsedScripts));
    return parsed;
  }

  async function prepareNew(
    script: string,
    options: NarrateOptions,
    activePronunciations = pronunciations.list(),
  ): Promise<void> {
    const { tooLongError } = await parseScriptAhead(script, options, activePronunciations);
    if (tooLongError !== undefined) throw tooLongError;
  }

  return {
    get(itemId) {
      const revision = narrations.revision(itemId);
      const activePronunciations = pronunciations.list();
      const cached = loadedNarrations.get(itemId);
      loadedNarrations.delete(itemId);
      const narration =
        cached?.revision === revision && cached.pronunciations === activePronunciations
          ? cached
          : loadNarration(itemId, narrations.read(itemId), activePronunciations, cached);
      loadedNarrations.set(itemId, narration);
      for (const oldest of [...loadedNarrations.keys()].slice(
        0,
        excessCount([...loadedNarrations.values()]),
      ))
        loadedNarrations.delete(oldest);
      return narration;
    },
    recentItemIds: () => [...loadedNarrations.keys()],
    async prepare(
      itemId,
      { script, options, pronunciations: activePronunciations = pronunciations.list() } = {},
    ) {
      const cached = loadedNarrations.get(itemId);
      const isChange = script !== undefined || options !== undefined;
      if (
        !isChange &&
        cached?.revision === narrations.revision(itemId) &&
        cached.pronunciations === activePronunciations
      )
        return;
      // Reading a long script takes milliseconds: only where it is needed.
      if (script !== undefined && options !== undefined)
        return prepareNew(script, options, activePronunciations);
      const stored = narrations.read(itemId);
      if (script === undefined)
        await parseScriptAhead(stored.script, options ?? stored.options, activePronunciations);
      else await prepareNew(script, stored.options, activePronunciations);
    },
    prepareNew,
  };

  function loadNarration(
    itemId: string,
    stored: StoredNarration,
    activePronunciations: readonly Pronunciation[],
    cached: LoadedNarration | undefined,
  ): LoadedNarration {
    const key = toCacheKey(stored.options, activePronunciations);
    const index = parsedScripts.findIndex((one) => one.key === key && one.script === stored.script);
    const { tooLongError, sentences, byId, unspeakable } =
      parsedScripts.splice(index, index < 0 ? 0 : 1)[0] ??
      runToCompletion(parseScript(stored.script, stored.options, activePronunciations));
    return {
      ...stored,
      itemId,
      tooLongError,
      sentences,
      byId,
      unspeakable,
      takes: cached?.takes ?? groupByContent(narrations.takes(itemId)),
      notes: cached?.notes ?? narrations.notes(itemId),
      pronunciations: activePronunciations,
    };
  }
}

/** Number of oldest entries to remove from the cache. The newest entry is always kept. */
function excessCount(all: readonly { sentences: readonly unknown[] }[]): number {
  let sentences = 0;
  const lastExcessIndex = all.findLastIndex((one, index) => {
    sentences += one.sentences.length;
    return (
      index < all.length - 1 && (sentences > maxScriptSentences || all.length - index > maxCached)
    );
  });
  return lastExcessIndex + 1;
}

function groupByContent(takes: readonly StoredTake[]): Map<string, StoredTake[]> {
  const groups = new Map<string, StoredTake[]>();
  for (const take of takes) groups.set(take.content, [...(groups.get(take.content) ?? []), take]);
  return groups;
}

/** The take that the user chose, otherwise the first. */
export function chosenTake(
  { takes, notes }: LoadedNarration,
  { id, content }: Sentence,
): StoredTake | undefined {
  const all = takes.get(content) ?? [];
  const chosen = notes.get(id)?.chosenTake;
  return all.find((take) => take.id === chosen) ?? all[0];
}

export const isGenerated = ({ takes }: LoadedNarration, { content }: Sentence): boolean =>
  (takes.get(content)?.length ?? 0) > 0;

export function toNarrationSentence(
  narration: LoadedNarration,
  sentence: Sentence,
): NarrationSentence {
  const { id, start, end, text, voice, pauseSec, chapter, content } = sentence;
  const chosen = chosenTake(narration, sentence);
  const missed = narration.notes.get(id)?.missed;
  return {
    id,
    start,
    end,
    text,
    voice,
    pauseSec,
    ...(chapter === undefined ? {} : { chapter }),
    takes: (narration.takes.get(content) ?? []).map(
      ({ id: takeId, durationSec, madeAtMs, model, channel }) => ({
        id: takeId,
        durationSec,
        madeAtMs,
        model,
        channel,
      }),
    ),
    ...(chosen === undefined ? {} : { chosenTake: chosen.id }),
    ...(missed === undefined ? {} : { missed }),
  };
}

/** Yields after each sentence. @param isEnglish the model has the built-in voices, which support English only */
export function* toNarration(
  narration: LoadedNarration,
  isEnglish: boolean,
): Generator<undefined, Narration> {
  const sentences: NarrationSentence[] = [];
  for (const sentence of narration.sentences) {
    yield;
    sentences.push(toNarrationSentence(narration, sentence));
  }
  const language = isEnglish ? detectOtherLanguage(narration.script) : undefined;
  return {
    revision: narration.revision,
    script: narration.script,
    options: narration.options,
    sentences,
    unspeakable: isEnglish ? [...narration.unspeakable] : [],
    ...(language === undefined ? {} : { otherLanguage: language }),
  };
}

/** Duration of the generated audio including pauses, and the generated part, 0 to 1. Yields after each sentence. */
export function* measureGenerated(
  narration: LoadedNarration,
): Generator<undefined, { durationSec: number; progress: number }> {
  let durationSec = 0;
  let generatedCount = 0;
  for (const sentence of narration.sentences) {
    yield;
    const take = chosenTake(narration, sentence);
    if (take === undefined) continue;
    generatedCount += 1;
    durationSec += take.durationSec + sentence.pauseSec;
  }
  return {
    durationSec,
    progress: narration.sentences.length === 0 ? 0 : generatedCount / narration.sentences.length,
  };
}

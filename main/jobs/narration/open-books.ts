// Narrations as they are worked with: sentences, takes and notes together, kept in memory while they are in use. All
// that is written goes to the library first.

import { AppError } from "../../contract/errors.ts";
import type {
  NarrateOptions,
  Narration,
  NarrationSentence,
  Pronunciation,
} from "../../contract/studio.ts";
import type {
  Narrations,
  SentenceNote,
  StoredNarration,
  StoredTake,
} from "../../library/narrations.ts";
import { maxScriptSentences } from "../../text/script/character-budget.ts";
import { otherLanguage } from "../../text/script/other-language.ts";
import { unspeakableWordsInSteps } from "../../text/script/unspeakable.ts";
import { runAtOnce, runInSlices } from "../../processes/time-slices.ts";
import { nameSentences, type Sentence } from "./sentences.ts";

export type Book = StoredNarration & {
  readonly itemId: string;
  /** Of a script that an earlier version took and that has too many sentences: they are left out until it is shortened. */
  readonly tooLong?: AppError | undefined;
  readonly sentences: readonly Sentence[];
  readonly byId: ReadonlyMap<string, Sentence>;
  /** Words of the script that an English voice has no way to say. */
  readonly unspeakable: readonly string[];
  /** By content, oldest first. */
  readonly takes: Map<string, StoredTake[]>;
  readonly notes: Map<string, SentenceNote>;
  readonly pronunciations: readonly Pronunciation[];
};

export type OpenBooksDeps = {
  narrations: Narrations;
  pronunciations: { list(): readonly Pronunciation[] };
  /** Names a script may call a voice by. */
  voices(): readonly string[];
};

export type OpenBooks = {
  /** As it is now. @throws AppError `not_found` */
  get(itemId: string): Book;
  /** Those that were asked for lately. */
  recent(): string[];
  /** The same for a script that is about to become a narration. @throws AppError `string_too_long` */
  prepareNew(script: string, options: NarrateOptions): Promise<void>;
  /**
   * Reads a script in short slices, so that `get` finds it read: as it is now, as it is about to become, or with
   * pronunciations it is about to have.
   * @throws AppError `not_found`, `string_too_long` of a script it is about to have
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

/** A window shows one, a few more are being made. Together they have no more sentences than a single one may have. */
const maxKept = 8;

/** What a script was read as. */
type Reading = Pick<Book, "script" | "tooLong" | "sentences" | "byId" | "unspeakable"> & {
  key: string;
};

export function createOpenBooks({ narrations, pronunciations, voices }: OpenBooksDeps): OpenBooks {
  const books = new Map<string, Book>();
  const prepared: Reading[] = [];

  /** Everything but the script itself that decides how it is read. */
  const keyOf = (options: NarrateOptions, said: readonly Pronunciation[]): string =>
    JSON.stringify([options, said, voices()]);

  function* reading(
    script: string,
    options: NarrateOptions,
    said: readonly Pronunciation[],
  ): Generator<undefined, Reading> {
    const key = keyOf(options, said);
    let sentences: Sentence[];
    try {
      sentences = yield* nameSentences({ script, options, pronunciations: said, voices: voices() });
    } catch (error) {
      if (!(error instanceof AppError) || error.key !== "string_too_long") throw error;
      return { key, script, tooLong: error, sentences: [], byId: new Map(), unspeakable: [] };
    }
    const byId = new Map<string, Sentence>();
    for (const sentence of sentences) {
      yield;
      byId.set(sentence.id, sentence);
    }
    return { key, script, sentences, byId, unspeakable: yield* unspeakableWordsInSteps(script) };
  }

  async function prepareReading(
    script: string,
    options: NarrateOptions,
    said: readonly Pronunciation[],
  ): Promise<Reading> {
    const key = keyOf(options, said);
    const earlier = prepared.find((one) => one.key === key && one.script === script);
    if (earlier !== undefined) return earlier;
    const now = await runInSlices(reading(script, options, said));
    prepared.push(now);
    prepared.splice(0, excessOf(prepared));
    return now;
  }

  async function prepareNew(
    script: string,
    options: NarrateOptions,
    said = pronunciations.list(),
  ): Promise<void> {
    const { tooLong } = await prepareReading(script, options, said);
    if (tooLong !== undefined) throw tooLong;
  }

  return {
    get(itemId) {
      const revision = narrations.revision(itemId);
      const said = pronunciations.list();
      const kept = books.get(itemId);
      books.delete(itemId);
      const book =
        kept?.revision === revision && kept.pronunciations === said
          ? kept
          : read(itemId, narrations.read(itemId), said, kept);
      books.set(itemId, book);
      for (const oldest of [...books.keys()].slice(0, excessOf([...books.values()])))
        books.delete(oldest);
      return book;
    },
    recent: () => [...books.keys()],
    async prepare(itemId, { script, options, pronunciations: said = pronunciations.list() } = {}) {
      const kept = books.get(itemId);
      const isChange = script !== undefined || options !== undefined;
      if (
        !isChange &&
        kept?.revision === narrations.revision(itemId) &&
        kept.pronunciations === said
      )
        return;
      const stored = narrations.read(itemId);
      if (script === undefined)
        await prepareReading(stored.script, options ?? stored.options, said);
      else await prepareNew(script, options ?? stored.options, said);
    },
    prepareNew,
  };

  function read(
    itemId: string,
    stored: StoredNarration,
    said: readonly Pronunciation[],
    kept: Book | undefined,
  ): Book {
    const key = keyOf(stored.options, said);
    const at = prepared.findIndex((one) => one.key === key && one.script === stored.script);
    const { tooLong, sentences, byId, unspeakable } =
      prepared.splice(at, at < 0 ? 0 : 1)[0] ??
      runAtOnce(reading(stored.script, stored.options, said));
    return {
      ...stored,
      itemId,
      tooLong,
      sentences,
      byId,
      unspeakable,
      takes: kept?.takes ?? byContent(narrations.takes(itemId)),
      notes: kept?.notes ?? narrations.notes(itemId),
      pronunciations: said,
    };
  }
}

/** How many of them, oldest first, are more than is kept. The newest always is. */
function excessOf(all: readonly { sentences: readonly unknown[] }[]): number {
  let sentences = 0;
  const tooOld = all.findLastIndex((one, at) => {
    sentences += one.sentences.length;
    return at < all.length - 1 && (sentences > maxScriptSentences || all.length - at > maxKept);
  });
  return tooOld + 1;
}

function byContent(takes: readonly StoredTake[]): Map<string, StoredTake[]> {
  const found = new Map<string, StoredTake[]>();
  for (const take of takes) found.set(take.content, [...(found.get(take.content) ?? []), take]);
  return found;
}

/** The one a person chose, else the first that was made. */
export function chosenTake(
  { takes, notes }: Book,
  { id, content }: Sentence,
): StoredTake | undefined {
  const all = takes.get(content) ?? [];
  const chosen = notes.get(id)?.chosenTake;
  return all.find((take) => take.id === chosen) ?? all[0];
}

export const isMade = ({ takes }: Book, { content }: Sentence): boolean =>
  (takes.get(content)?.length ?? 0) > 0;

export function shownSentence(book: Book, sentence: Sentence): NarrationSentence {
  const { id, start, end, text, voice, pauseSec, chapter, content } = sentence;
  const chosen = chosenTake(book, sentence);
  const missed = book.notes.get(id)?.missed;
  return {
    id,
    start,
    end,
    text,
    voice,
    pauseSec,
    ...(chapter === undefined ? {} : { chapter }),
    takes: (book.takes.get(content) ?? []).map(
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

/** A sentence a step. @param isEnglish the model has the built-in voices, which know no other alphabet */
export function* showNarration(book: Book, isEnglish: boolean): Generator<undefined, Narration> {
  const sentences: NarrationSentence[] = [];
  for (const sentence of book.sentences) {
    yield;
    sentences.push(shownSentence(book, sentence));
  }
  const language = isEnglish ? otherLanguage(book.script) : undefined;
  return {
    revision: book.revision,
    script: book.script,
    options: book.options,
    sentences,
    unspeakable: isEnglish ? [...book.unspeakable] : [],
    ...(language === undefined ? {} : { otherLanguage: language }),
  };
}

/** Seconds of what is made, pauses included, and how much of it is made, 0 to 1. A sentence a step. */
export function* madeSoFar(
  book: Book,
): Generator<undefined, { durationSec: number; progress: number }> {
  let durationSec = 0;
  let made = 0;
  for (const sentence of book.sentences) {
    yield;
    const take = chosenTake(book, sentence);
    if (take === undefined) continue;
    made += 1;
    durationSec += take.durationSec + sentence.pauseSec;
  }
  return { durationSec, progress: book.sentences.length === 0 ? 0 : made / book.sentences.length };
}

// Narrations as they are worked with: sentences, takes and notes together, kept in memory while they are in use. All
// that is written goes to the library first.

import type { Narration, NarrationSentence, Pronunciation } from '../../contract/studio.ts';
import type { Narrations, SentenceNote, StoredNarration, StoredTake } from '../../library/narrations.ts';
import { otherLanguage } from '../../text/script/other-language.ts';
import { unspeakableWords } from '../../text/script/unspeakable.ts';
import { namedSentences, type Sentence } from './sentences.ts';

export type Book = StoredNarration & {
  readonly itemId: string;
  readonly sentences: readonly Sentence[];
  readonly byId: ReadonlyMap<string, Sentence>;
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
  forget(itemId: string): void;
};

/** A window shows one, a few more are being made. */
const mostKept = 8;

export function createOpenBooks({ narrations, pronunciations, voices }: OpenBooksDeps): OpenBooks {
  const books = new Map<string, Book>();
  return {
    get(itemId) {
      const revision = narrations.revision(itemId);
      const said = pronunciations.list();
      const kept = books.get(itemId);
      books.delete(itemId);
      const book = kept?.revision === revision && kept.pronunciations === said ? kept : read(itemId, narrations.read(itemId), said, kept);
      books.set(itemId, book);
      for (const oldest of [...books.keys()].slice(0, -mostKept)) books.delete(oldest);
      return book;
    },
    recent: () => [...books.keys()],
    forget: (itemId) => void books.delete(itemId),
  };

  function read(itemId: string, stored: StoredNarration, said: readonly Pronunciation[], kept: Book | undefined): Book {
    const sentences = namedSentences({ script: stored.script, options: stored.options, pronunciations: said, voices: voices() });
    return {
      ...stored,
      itemId,
      sentences,
      byId: new Map(sentences.map((sentence) => [sentence.id, sentence])),
      takes: kept?.takes ?? byContent(narrations.takes(itemId)),
      notes: kept?.notes ?? narrations.notes(itemId),
      pronunciations: said,
    };
  }
}

function byContent(takes: readonly StoredTake[]): Map<string, StoredTake[]> {
  const found = new Map<string, StoredTake[]>();
  for (const take of takes) found.set(take.content, [...(found.get(take.content) ?? []), take]);
  return found;
}

/** The one a person chose, else the first that was made. */
export function chosenTake({ takes, notes }: Book, { id, content }: Sentence): StoredTake | undefined {
  const all = takes.get(content) ?? [];
  const chosen = notes.get(id)?.chosenTake;
  return all.find((take) => take.id === chosen) ?? all[0];
}

export const isMade = ({ takes }: Book, { content }: Sentence): boolean => (takes.get(content)?.length ?? 0) > 0;

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
    takes: (book.takes.get(content) ?? []).map(({ id: takeId, durationSec, madeAtMs, model, channel }) => ({ id: takeId, durationSec, madeAtMs, model, channel })),
    ...(chosen === undefined ? {} : { chosenTake: chosen.id }),
    ...(missed === undefined ? {} : { missed }),
  };
}

/** @param isEnglish the model has the built-in voices, which know no other alphabet */
export function shownNarration(book: Book, isEnglish: boolean): Narration {
  const language = isEnglish ? otherLanguage(book.script) : undefined;
  return {
    revision: book.revision,
    script: book.script,
    options: book.options,
    sentences: book.sentences.map((sentence) => shownSentence(book, sentence)),
    unspeakable: isEnglish ? unspeakableWords(book.script) : [],
    ...(language === undefined ? {} : { otherLanguage: language }),
  };
}

/** Seconds of what is made, pauses included, and how much of it is made, 0 to 1. */
export function madeSoFar(book: Book): { durationSec: number; progress: number } {
  let durationSec = 0;
  let made = 0;
  for (const sentence of book.sentences) {
    const take = chosenTake(book, sentence);
    if (take === undefined) continue;
    made += 1;
    durationSec += take.durationSec + sentence.pauseSec;
  }
  return { durationSec, progress: book.sentences.length === 0 ? 0 : made / book.sentences.length };
}

// Narrations: a script becomes sentences, sentences become takes, made in order by any model, kept, chosen from,
// heard again and put together as files. Work that a stop of the app interrupts goes on with `resume`.

import { readFile } from "node:fs/promises";
import type { Metering } from "../../usage/metering.ts";
import type { Router } from "../../channels/router.ts";
import { AppError } from "../../contract/errors.ts";
import type {
  Item,
  NarrateOptions,
  Narration,
  NarrationExport,
  Pronunciation,
  StudioEvent,
} from "../../contract/studio.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items, NewItem } from "../../library/items.ts";
import type { LibraryTasksElsewhere } from "../../library/library-tasks.ts";
import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import type { Narrations } from "../../library/narrations.ts";
import type { Pronunciations } from "../../library/pronunciations.ts";
import type { Log } from "../../log.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import type { PatientWrites } from "../../storage/patient-writes.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { type BookDetails, createBookDetails } from "../../audiobook/book-details.ts";
import { type BookExport, exportBook, madeSentences } from "./book-export.ts";
import {
  type Book,
  chosenTake,
  createOpenBooks,
  isMade,
  madeSoFar,
  type OpenBooks,
  showNarration,
  shownSentence,
} from "./open-books.ts";
import type { Sentence } from "./sentences.ts";
import { joinedPeaks } from "../../audiobook/take-peaks.ts";
import { createSentenceSound } from "./speaking.ts";
import { startWorkRun, type WorkRun } from "./work-run.ts";

export type NarratingDeps = {
  writes: PatientWrites;
  items: Items;
  narrations: Narrations;
  work: NarrationWork;
  tasks: Pick<LibraryTasksElsewhere, "changeNarration" | "addWork" | "dropWork">;
  pronunciations: Pronunciations;
  router: Router;
  metering: Metering;
  pool: Pool;
  events: { publish(event: StudioEvent): void };
  /** Names a script may call a voice by, beside those every provider has. */
  voices(): readonly string[];
  /** This machine alone serves that model, whose voices know no other alphabet. */
  isSpokenHere(model: string): boolean;
  /** An existing folder for sound in transit. */
  tempDir: () => string;
  log: Log;
  now?: () => number;
};

export type NewNarration = { title: string; script: string; options: NarrateOptions };

/** Unknown items are AppError `not_found`. */
export type Narrating = {
  create(fields: NewNarration): Item;
  /** With what its files say and their cover: all of it or nothing. */
  createWithDetails(
    fields: NewNarration,
    details: Parameters<BookDetails["keep"]>[1],
  ): Promise<Item>;
  read(itemId: string): Promise<Narration>;
  /** What was made of sentences that are still there stays. @throws AppError `conflict` */
  change(
    itemId: string,
    fields: { revision: number; script: string; options: NarrateOptions },
  ): Promise<Narration>;
  /** Makes what is not made yet, those that were named first; or a new take of each that was named. Ends at once: the work goes on. */
  make(
    itemId: string,
    fields: { sentenceIds?: readonly string[] | undefined; isNewTake?: boolean },
  ): Promise<Item>;
  /** Hears what was made and not heard yet; all of it where all was. */
  check(itemId: string): Promise<Item>;
  choose(itemId: string, sentenceId: string, takeId: string): Promise<Narration>;
  /** Ends the work for good, where there is any; what was made stays. Resolves when nothing is written any more. */
  cancel(itemId: string): Promise<void>;
  /** Resolves when no work on it goes on; how it ended is in the item. */
  settled(itemId: string): Promise<void>;
  /** The file of a take. @throws AppError `not_found` */
  takePath(itemId: string, takeId: string): string;
  pronunciations(): readonly Pronunciation[];
  /** Reads its script in short slices: whatever is asked of it next finds it read. @throws as `change` */
  prepare: OpenBooks["prepare"];
  /** Sentences that are spoken otherwise now have other ids, and no takes unless they were made like that before. */
  setPronunciations(entries: readonly Pronunciation[]): Promise<void>;
  /** Title and author of its files, and where their cover is. */
  details(itemId: string): ReturnType<BookDetails["read"]>;
  keepDetails: BookDetails["keep"];
  /** As those of a file. @throws AppError where something is not made yet */
  peaks(itemId: string): Promise<Uint8Array<ArrayBuffer>>;
  /** With the title, the author and the cover that are kept. Tells windows how far it is. @throws AppError where something is not made yet */
  exportBook(itemId: string, options: NarrationExport, signal: AbortSignal): Promise<BookExport>;
  /** Goes on with what a stop of the app left, unless it is closed meanwhile. */
  resume(): Promise<void>;
  /** Stops the work; it goes on at the next start. */
  close(): Promise<void>;
};

type Running = {
  run: WorkRun;
  stop: AbortController;
  ended: Promise<void>;
  /** Everything is to be made, also what the script gains meanwhile. */ isWhole: boolean;
};

/** Work that is asked for: it begins when it is kept. */
type Asked = {
  readonly itemId: string;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
};

type Ended = { state?: Item["state"]; error?: string | undefined };

const stopped = new Error("the app stops");
const cancelled = new Error("cancelled");

export function createNarrating(deps: NarratingDeps): Narrating {
  const {
    writes,
    items,
    narrations,
    work,
    tasks,
    pronunciations,
    pool,
    events,
    log,
    isSpokenHere,
    now = Date.now,
  } = deps;
  const books = createOpenBooks({ narrations, pronunciations, voices: deps.voices });
  const givenTo = (itemId: string, channel: string): void =>
    writes.later(() => items.givenTo(itemId, channel));
  const sound = createSentenceSound({
    writes,
    router: deps.router,
    metering: deps.metering,
    pool,
    tempDir: deps.tempDir,
    folder: items.folder,
    onAsked: givenTo,
    isSpokenHere,
    now,
  });
  const details = createBookDetails(items.folder);
  const running = new Map<string, Running>();
  const asked = new Set<Asked>();
  let isClosed = false;

  /** A narration that was removed is none, although its rows are there. */
  function bookOf(itemId: string): Book {
    items.read(itemId);
    return books.get(itemId);
  }

  /** Its script is read in slices. */
  async function preparedBook(itemId: string): Promise<Book> {
    items.read(itemId);
    await books.prepare(itemId);
    return bookOf(itemId);
  }

  const shown = (book: Book): Promise<Narration> =>
    runInSlices(showNarration(book, isSpokenHere(book.options.model)));

  /** A sentence may stand in a book thousands of times. */
  const announce = (book: Book, sentence: Sentence): Promise<void> =>
    runInSlices(announcing(book, sentence));

  function* announcing(book: Book, sentence: Sentence): Generator<undefined, void> {
    for (const each of book.sentences) {
      yield;
      if (each.content === sentence.content)
        events.publish({
          type: "sentence",
          itemId: book.itemId,
          sentence: shownSentence(book, each),
        });
    }
  }

  /** Brings the item in line with what is made. */
  async function settle(itemId: string, ended: Ended = {}): Promise<Item> {
    const book = await preparedBook(itemId);
    const made = await runInSlices(madeSoFar(book));
    const state = ended.state ?? (made.progress === 1 ? "done" : "waiting");
    // What is made of sentences that are left out is still there.
    return items.change(itemId, {
      ...(book.tooLong === undefined ? made : {}),
      state,
      leftSec: undefined,
      error: ended.error,
    });
  }

  const start = (itemId: string, isWhole: boolean): void =>
    writes.labelled(itemId, () => begin(itemId, isWhole));

  function begin(itemId: string, isWhole: boolean): void {
    const stop = new AbortController();
    const startedMs = now();
    const run = startWorkRun(
      {
        itemId,
        book: () => books.get(itemId),
        narrations,
        work,
        sound,
        writes,
        lanes: pool.size,
        onSentence(sentence, channel) {
          if (items.find(itemId) === undefined) return;
          void announce(books.get(itemId), sentence);
          if (channel !== "") givenTo(itemId, channel);
        },
        onProgress: (done, total) =>
          items.progress(
            itemId,
            done / total,
            ((now() - startedMs) / 1000 / done) * (total - done),
          ),
      },
      stop.signal,
    );
    running.set(itemId, { run, stop, isWhole, ended: ending(itemId, run.done, stop.signal) });
  }

  /** Never rejects. */
  async function ending(itemId: string, done: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      const ended = await outcomeOf(itemId, done, signal);
      running.delete(itemId);
      if (ended !== undefined) await close(itemId, ended);
    } catch (error) {
      // At the next start it is found as it was left.
      if (!isClosed) log.error({ err: error, itemId }, "how a narration ended could not be kept");
    } finally {
      if (running.get(itemId)?.run.done === done) running.delete(itemId);
    }
  }

  /** @returns undefined where what is left is taken on at the next start */
  async function outcomeOf(
    itemId: string,
    done: Promise<void>,
    signal: AbortSignal,
  ): Promise<Ended | undefined> {
    try {
      await done;
      return {};
    } catch (error) {
      if (
        isClosed ||
        signal.reason === stopped ||
        (error instanceof AppError && error.key === "closing")
      )
        return undefined;
      if (!signal.aborted && !(error instanceof AppError))
        log.error({ err: error, itemId }, "a narration failed");
      await writes.run(() => tasks.dropWork(itemId));
      if (signal.aborted) return { state: "cancelled" };
      return {
        state: "failed",
        error:
          error instanceof AppError
            ? error.message
            : "Something went wrong inside Hearsay. Its log has more. What was made is kept.",
      };
    }
  }

  async function close(itemId: string, ended: Ended): Promise<void> {
    await writes.run(async () => {
      if (items.find(itemId) === undefined || running.has(itemId)) return;
      // Added when the last sentence was just done.
      if (ended.state === undefined && work.has(itemId)) return start(itemId, false);
      const complete =
        ended.state === "cancelled" &&
        (await runInSlices(madeSoFar(await preparedBook(itemId)))).progress === 1;
      if (!running.has(itemId)) await settle(itemId, complete ? {} : ended);
    });
    await writes.run(() => items.measure(itemId));
  }

  /** What follows from a change that was kept already. */
  const settleLater = (itemId: string): void =>
    writes.later(async () => running.has(itemId) || settle(itemId));

  /** For whatever ends in `enqueue`: who stops the work of the item meanwhile stops this too, and waits for it. */
  async function ask<T>(itemId: string, prepare: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (isClosed) throw new AppError("closing", "Hearsay is shutting down.");
    const stop = new AbortController();
    const prepared = writes.labelled(itemId, () => prepare(stop.signal));
    const own: Asked = { itemId, stop, ended: prepared.catch(() => {}) };
    asked.add(own);
    try {
      return await prepared;
    } finally {
      asked.delete(own);
    }
  }

  /** @param signal of `ask` */
  async function enqueue(
    itemId: string,
    task: SentenceTask,
    ids: readonly string[],
    signal: AbortSignal,
    { first = [], isWhole = false }: { first?: readonly string[]; isWhole?: boolean } = {},
  ): Promise<Item> {
    if (isClosed) throw new AppError("closing", "Hearsay is shutting down.");
    if (signal.aborted) return items.read(itemId);
    if (ids.length === 0) return running.has(itemId) ? items.read(itemId) : settle(itemId);
    await retryWhileBusy(() => tasks.addWork(itemId, task, ids));
    if (signal.reason === cancelled) {
      await writes.run(() => tasks.dropWork(itemId));
      await close(itemId, { state: "cancelled" });
      return items.read(itemId);
    }
    // Kept: it begins at the next start.
    if (isClosed) return items.read(itemId);
    items.read(itemId);
    const current = running.get(itemId);
    if (current === undefined) {
      start(itemId, isWhole);
      // Where this is not kept the work goes on all the same, and its progress is.
      writes.later(
        () =>
          running.has(itemId) &&
          items.change(itemId, {
            state: "running",
            progress: 0,
            leftSec: undefined,
            error: undefined,
          }),
      );
    } else {
      current.isWhole ||= isWhole;
      current.run.added(first);
    }
    return items.read(itemId);
  }

  async function make(
    itemId: string,
    { sentenceIds, isNewTake = false }: Parameters<Narrating["make"]>[1],
    signal: AbortSignal,
  ): Promise<Item> {
    const book = inFull(await preparedBook(itemId));
    const unknown = sentenceIds?.find((id) => !book.byId.has(id));
    if (unknown !== undefined) throw noSentence();
    if (isNewTake && sentenceIds === undefined)
      throw new AppError(
        "missing_field",
        "A new take needs 'sentenceIds': the sentences it is for.",
        { param: "sentenceIds" },
      );
    const named = new Set(sentenceIds);
    const wanted = isNewTake
      ? (sentenceIds ?? [])
      : await runInSlices(missing(book, ({ id }) => sentenceIds === undefined || named.has(id)));
    return enqueue(itemId, isNewTake ? "take" : "make", wanted, signal, {
      first: sentenceIds ?? [],
      isWhole: sentenceIds === undefined,
    });
  }

  async function check(itemId: string, signal: AbortSignal): Promise<Item> {
    const book = inFull(await preparedBook(itemId));
    const made = book.sentences.filter((sentence) => isMade(book, sentence)).map(({ id }) => id);
    if (made.length === 0)
      throw new AppError(
        "invalid_request",
        "There is nothing to check yet: make the narration first.",
      );
    const unheard = made.filter((id) => book.notes.get(id)?.missed === undefined);
    // What is still to be made is not put aside for it.
    const open = await runInSlices(work.open(itemId));
    return enqueue(
      itemId,
      "check",
      (unheard.length > 0 ? unheard : made).filter((id) => !open.has(id)),
      signal,
    );
  }

  /** The script, or how it is spoken, is another: what is being made in full is made in full. */
  function changed(itemId: string): void {
    const current = running.get(itemId);
    const book = books.get(itemId);
    if (current === undefined) settleLater(itemId);
    else if (current.isWhole)
      writes.later(
        () =>
          current.stop.signal.aborted ||
          ask(itemId, async (signal) =>
            enqueue(
              itemId,
              "make",
              await runInSlices(missing(book, ({ id }) => !current.run.has(id))),
              signal,
            ),
          ),
      );
    events.publish({ type: "document", itemId, revision: book.revision });
  }

  /** A book a step. */
  function* tellChanged(before: ReadonlyMap<string, Book>): Generator<undefined, void> {
    for (const [itemId, { sentences }] of before) {
      yield;
      if (
        items.find(itemId) !== undefined &&
        books.get(itemId).sentences.some(({ id }, place) => id !== sentences[place]?.id)
      )
        changed(itemId);
    }
  }

  async function stopWork(itemId: string, reason: Error): Promise<void> {
    const current = running.get(itemId);
    const stopping = [
      ...(current === undefined ? [] : [current]),
      ...[...asked].filter((one) => one.itemId === itemId),
    ];
    for (const { stop } of stopping) stop.abort(reason);
    const ended = Promise.all(stopping.map((one) => one.ended));
    await (reason === stopped ? ended : writes.orTrouble(itemId, ended));
  }

  const newItem = ({ title, script, options }: NewNarration): NewItem => ({
    kind: "narration",
    title: title === "" ? titleOf(script) : title,
    source: "text",
    language: isSpokenHere(options.model) ? "en" : "",
  });

  return {
    create: (fields) => items.create(newItem(fields), (id) => narrations.create(id, fields)),
    async createWithDetails(fields, given) {
      await books.prepareNew(fields.script, fields.options);
      return items.createFilled(
        newItem(fields),
        (_, id) => details.keep(id, given),
        (id) => narrations.create(id, fields),
      );
    },
    read: async (itemId) => shown(await preparedBook(itemId)),
    async change(itemId, fields) {
      items.read(itemId);
      await books.prepare(itemId, fields);
      items.read(itemId);
      await retryWhileBusy(() => tasks.changeNarration(itemId, fields));
      changed(itemId);
      return shown(bookOf(itemId));
    },
    make: (itemId, fields) => ask(itemId, (signal) => make(itemId, fields, signal)),
    check: (itemId) => ask(itemId, (signal) => check(itemId, signal)),
    async choose(itemId, sentenceId, takeId) {
      const book = await preparedBook(itemId);
      const sentence = book.byId.get(sentenceId);
      if (sentence === undefined) throw noSentence();
      if (!book.takes.get(sentence.content)?.some(({ id }) => id === takeId)) throw noTake();
      if (chosenTake(book, sentence)?.id !== takeId) {
        narrations.note(itemId, sentenceId, { chosenTake: takeId, missed: undefined });
        book.notes.set(sentenceId, { chosenTake: takeId });
        void announce(book, sentence);
        settleLater(itemId);
      }
      return shown(book);
    },
    cancel: (itemId) => stopWork(itemId, cancelled),
    settled: async (itemId) => running.get(itemId)?.ended,
    takePath(itemId, takeId) {
      const book = bookOf(itemId);
      for (const takes of book.takes.values())
        if (takes.some(({ id }) => id === takeId)) return sound.takePath(itemId, takeId);
      throw noTake();
    },
    pronunciations: pronunciations.list,
    async prepare(itemId, change) {
      items.read(itemId);
      await books.prepare(itemId, change);
    },
    async setPronunciations(entries) {
      for (const itemId of books.recent())
        if (items.find(itemId) !== undefined)
          await books.prepare(itemId, { pronunciations: entries });
      const before = new Map(
        books
          .recent()
          .flatMap((itemId) =>
            items.find(itemId) === undefined ? [] : [[itemId, books.get(itemId)] as const],
          ),
      );
      pronunciations.replace(entries);
      await runInSlices(tellChanged(before));
    },
    async details(itemId) {
      items.read(itemId);
      return details.read(itemId);
    },
    async keepDetails(itemId, fields) {
      items.read(itemId);
      await details.keep(itemId, fields);
    },
    async peaks(itemId) {
      const book = inFull(bookOf(itemId));
      return joinedPeaks(
        (await runInSlices(madeSentences(book))).map(({ takeId, durationSec, pauseSec }) => ({
          wavPath: sound.takePath(itemId, takeId),
          durationSec,
          pauseSec,
        })),
      );
    },
    async exportBook(itemId, options, signal) {
      const book = inFull(bookOf(itemId));
      const onProgress = (progress: number): void =>
        events.publish({ type: "narration-file", itemId, progress });
      const { title, author, coverPath } = await details.read(itemId);
      const cover = coverPath === undefined ? {} : { cover: await readFile(coverPath) };
      return exportBook(
        { pool, tempDir: deps.tempDir, takePath: sound.takePath, onProgress },
        book,
        { ...options, title: title === "" ? items.read(itemId).title : title, author, ...cover },
        signal,
      );
    },
    async resume() {
      const withWork = new Set(work.items());
      for (const itemId of withWork) {
        try {
          await books.prepare(itemId);
        } catch (error) {
          log.error({ err: error, itemId }, "the work on a narration could not be resumed");
          continue;
        }
        if (isClosed) return;
        if (running.has(itemId) || !work.has(itemId)) continue;
        start(itemId, false);
        // The app ended when the work had just been kept.
        if (items.find(itemId)?.state !== "running")
          writes.later(
            () =>
              running.has(itemId) && items.change(itemId, { state: "running", error: undefined }),
          );
      }
      for (const { id } of items.list({ kind: "narration", state: "running" }))
        if (!withWork.has(id)) settleLater(id);
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...new Set([...running.keys(), ...[...asked].map(({ itemId }) => itemId)])].map((itemId) =>
          stopWork(itemId, stopped),
        ),
      );
    },
  };
}

/** @throws AppError where its script is too long: nothing is known of its sentences */
function inFull(book: Book): Book {
  if (book.tooLong !== undefined) throw book.tooLong;
  return book;
}

function* missing(
  book: Book,
  isWanted: (sentence: Sentence) => boolean,
): Generator<undefined, string[]> {
  const ids: string[] = [];
  for (const sentence of book.sentences) {
    yield;
    if (!isMade(book, sentence) && isWanted(sentence)) ids.push(sentence.id);
  }
  return ids;
}

const noSentence = (): AppError =>
  new AppError("not_found", "This sentence is no longer in the script. Load it again.", {
    param: "sentenceId",
  });
const noTake = (): AppError =>
  new AppError("not_found", "There is no such take of this sentence.", { param: "takeId" });

/** A script without a title in so many characters has none. */
const titleWithin = 10_000;

/** The first line that says something. */
function titleOf(script: string): string {
  const start = script.slice(0, titleWithin).split("\n");
  const line = start
    .map((each) => each.replace(/^\s*(?:\[[^\]]*\]|#{1,6})\s*/, "").trim())
    .find((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined) return "Untitled";
  return line.length > 80 ? `${line.slice(0, 77).trimEnd()}…` : line;
}

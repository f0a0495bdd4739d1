// The work on one narration while it goes on: sentence after sentence in the script's order, some side by side,
// each crossed off when its sound is on the disk, so that it goes on where it stopped. See speaking.ts for what a
// sentence's sound is made of.

import { AppError, storageFailure } from "../../contract/errors.ts";
import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import type { Narrations, StoredTake } from "../../library/narrations.ts";
import type { PatientWrites } from "../../storage/patient-writes.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { type Book, chosenTake } from "./open-books.ts";
import type { Sentence } from "./sentences.ts";
import type { SentenceSound } from "./speaking.ts";

export type WorkRunDeps = {
  itemId: string;
  /** As it is now: the script may change meanwhile. */
  book(): Book;
  narrations: Narrations;
  work: NarrationWork;
  sound: SentenceSound;
  writes: PatientWrites;
  /** How many sentences at once. */
  lanes: number;
  /** A sentence has another take, or was heard. */
  onSentence(sentence: Sentence, channel: string): void;
  onProgress(done: number, total: number): void;
};

export type WorkRun = {
  /** Takes in what was added to the work; `first`: before everything else. */
  added(first: readonly string[]): void;
  /** Is the sentence still to be worked on? */
  has(sentenceId: string): boolean;
  /** Resolves when nothing is left. @throws AppError of the first sentence that failed, once the others are done */
  readonly done: Promise<void>;
};

/** A channel that fails at so many sentences one after the other will fail at the rest. */
const maxFailures = 3;

export function startWorkRun(
  { itemId, book, narrations, work, sound, writes, lanes, onSentence, onProgress }: WorkRunDeps,
  signal: AbortSignal,
): WorkRun {
  let open = new Map<string, SentenceTask>();
  let queue: string[] = [];
  let done = 0;
  let total = 0;
  let failuresInRow = 0;
  let firstFailure: AppError | undefined;
  /** Equal sentences are made once. */
  const making = new Map<string, Promise<unknown>>();
  /** Numbers of the takes that are being made: of equal sentences each gets one of its own. */
  const lastTakes = new Map<string, number>();
  const busy = new Set<string>();

  /** What was crossed off while the work is being read. */
  let crossedOff = new Set<string>();

  /** In the script's order, in slices. @throws AppError where the script is too long */
  function* load(first: readonly string[]): Generator<undefined, void> {
    crossedOff = new Set();
    const tasks = yield* work.open(itemId);
    const ahead = new Set(first);
    const [before, behind]: [string[], string[]] = [[], []];
    const { tooLong, sentences, byId } = book();
    if (tooLong !== undefined) throw tooLong;
    for (const { id } of sentences) {
      yield;
      if (tasks.has(id)) (ahead.has(id) ? before : behind).push(id);
    }
    for (const id of tasks.keys()) {
      yield;
      // No longer in the script: only crossed off.
      if (!byId.has(id)) behind.push(id);
    }
    for (const id of crossedOff) tasks.delete(id);
    open = tasks;
    queue = [...before, ...behind];
    total = done + tasks.size;
  }

  /** One load after the other, also after one that failed. */
  let loading: Promise<void> = Promise.resolve();
  const takeIn = (first: readonly string[]): Promise<void> =>
    (loading = loading.catch(() => {}).then(() => runInSlices(load(first))));

  async function crossOff(id: string): Promise<void> {
    await keep(() => work.done(itemId, id));
    crossedOff.add(id);
    open.delete(id);
    done += 1;
    onProgress(done, Math.max(total, done));
  }

  /** What was made is not lost to a disk that takes nothing at the moment; also not where the work is ended meanwhile. */
  const keep = <T>(write: () => T): Promise<T> => writes.run(write);

  async function keepTake(sentence: Sentence, take: StoredTake): Promise<void> {
    await keep(() => narrations.addTake(take));
    const { takes } = book();
    takes.set(sentence.content, [...(takes.get(sentence.content) ?? []), take]);
  }

  async function note(
    id: string,
    change: { chosenTake?: string; missed?: string[] | undefined },
  ): Promise<void> {
    await keep(() => narrations.note(itemId, id, change));
    const { notes } = book();
    const { chosenTake: chosen, missed } = { ...notes.get(id), ...change };
    notes.set(id, {
      ...(chosen === undefined ? {} : { chosenTake: chosen }),
      ...(missed === undefined ? {} : { missed }),
    });
  }

  async function make(sentence: Sentence): Promise<string> {
    for (
      let other = making.get(sentence.content);
      other !== undefined;
      other = making.get(sentence.content)
    )
      await other.catch(() => {});
    if (chosenTake(book(), sentence) !== undefined) return "";
    const made = (async () => {
      const other = narrations.takeOf(sentence.content);
      const take =
        (other === undefined ? undefined : await sound.adopt(itemId, other)) ??
        (await sound.speak(itemId, sentence, book().options, 0, signal));
      await keepTake(sentence, {
        ...take,
        itemId,
        sentenceId: sentence.id,
        content: sentence.content,
      });
      return take.channel;
    })();
    making.set(sentence.content, made);
    try {
      return await made;
    } finally {
      making.delete(sentence.content);
    }
  }

  async function perform(sentence: Sentence, task: SentenceTask): Promise<string> {
    if (task === "make") return make(sentence);
    if (task === "take") {
      const number = Math.max(
        book().takes.get(sentence.content)?.length ?? 0,
        (lastTakes.get(sentence.content) ?? -1) + 1,
      );
      lastTakes.set(sentence.content, number);
      const take = await sound.speak(itemId, sentence, book().options, number, signal);
      await keepTake(sentence, {
        ...take,
        itemId,
        sentenceId: sentence.id,
        content: sentence.content,
      });
      await note(sentence.id, { chosenTake: take.id, missed: undefined });
      return take.channel;
    }
    const take = chosenTake(book(), sentence);
    if (take === undefined) return "";
    const { missed, channel } = await sound.check(itemId, take, sentence, signal);
    await note(sentence.id, { missed });
    return channel;
  }

  async function lane(): Promise<void> {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      signal.throwIfAborted();
      const task = open.get(id);
      if (task === undefined || busy.has(id)) continue;
      const sentence = book().byId.get(id);
      if (sentence === undefined) {
        await crossOff(id);
        continue;
      }
      busy.add(id);
      try {
        const channel = await writes.run(() => perform(sentence, task), signal);
        failuresInRow = 0;
        await crossOff(id);
        onSentence(sentence, channel);
      } catch (error) {
        signal.throwIfAborted();
        // Of these no sentence is the reason: it is made later.
        if (
          !(error instanceof AppError) ||
          storageFailure(error) !== undefined ||
          error.key === "closing"
        )
          throw error;
        failuresInRow += 1;
        firstFailure ??= new AppError(
          error.key,
          `“${shortened(sentence.written)}” could not be ${task === "check" ? "heard" : "spoken"}: ${error.message}`,
          { cause: error, row: error.row },
        );
        if (failuresInRow >= maxFailures) throw firstFailure;
        await crossOff(id);
      } finally {
        busy.delete(id);
      }
    }
  }

  async function run(): Promise<void> {
    await takeIn([]);
    // What is added while the last sentences are made is taken on by whoever is first free.
    do {
      const results = await Promise.allSettled(
        Array.from({ length: Math.min(lanes, Math.max(1, queue.length)) }, lane),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
      await loading;
    } while (queue.length > 0);
    if (firstFailure !== undefined) throw firstFailure;
  }

  return {
    added: (first) => void takeIn(first).catch(() => {}),
    has: (id) => open.has(id),
    done: writes.run(run, signal),
  };
}

const shortened = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 57).trimEnd()}…` : text;

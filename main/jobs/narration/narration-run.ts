// The work on one narration while it goes on: sentence after sentence in the script's order, some side by side,
// each crossed off when its sound is on the disk, so that it goes on where it stopped. See speaking.ts for what a
// sentence's sound is made of.

import { AppError, toStorageError } from "../../contract/errors.ts";
import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import type { Narrations, StoredTake } from "../../library/narrations.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { type LoadedNarration, chosenTake } from "./narration-cache.ts";
import type { Sentence } from "./sentences.ts";
import type { SentenceAudio } from "./sentence-audio.ts";

export type NarrationRunDeps = {
  itemId: string;
  /** As it is now: the script may change meanwhile. */
  narration(): LoadedNarration;
  narrations: Narrations;
  work: NarrationWork;
  sentenceAudio: SentenceAudio;
  writes: RetriedWrites;
  /** How many sentences at once. */
  maxConcurrent: number;
  /** A sentence has another take, or was heard. */
  onSentence(sentence: Sentence, channel: string): void;
  onProgress(done: number, total: number): void;
};

export type NarrationRun = {
  /** Takes in what was added to the work; `priorityIds`: before everything else. */
  reload(priorityIds: readonly string[]): void;
  /** Is the sentence still to be worked on? */
  has(sentenceId: string): boolean;
  /** Resolves when nothing is left. @throws AppError of the first sentence that failed, once the others are done */
  readonly done: Promise<void>;
};

/** A channel that fails at so many sentences one after the other will fail at the rest. */
const maxFailures = 3;

export function startNarrationRun(
  {
    itemId,
    narration,
    narrations,
    work,
    sentenceAudio,
    writes,
    maxConcurrent,
    onSentence,
    onProgress,
  }: NarrationRunDeps,
  signal: AbortSignal,
): NarrationRun {
  let pendingTasks = new Map<string, SentenceTask>();
  let queue: string[] = [];
  let done = 0;
  let total = 0;
  let failuresInRow = 0;
  let firstFailure: AppError | undefined;
  /** Equal sentences are made once. */
  const generating = new Map<string, Promise<unknown>>();
  /** Numbers of the takes that are being made: of equal sentences each gets one of its own. */
  const lastTakeNumbers = new Map<string, number>();
  const inProgress = new Set<string>();

  /** What was crossed off while the work is being read. */
  let completedWhileLoading = new Set<string>();

  /** In the script's order, in slices. @throws AppError where the script is too long */
  function* loadTasks(priorityIds: readonly string[]): Generator<undefined, void> {
    completedWhileLoading = new Set();
    const tasks = yield* work.loadPending(itemId);
    const prioritized = new Set(priorityIds);
    const [prioritizedIds, remainingIds]: [string[], string[]] = [[], []];
    const { tooLongError, sentences, byId } = narration();
    if (tooLongError !== undefined) throw tooLongError;
    for (const { id } of sentences) {
      yield;
      if (tasks.has(id)) (prioritized.has(id) ? prioritizedIds : remainingIds).push(id);
    }
    for (const id of tasks.keys()) {
      yield;
      // No longer in the script: only crossed off.
      if (!byId.has(id)) remainingIds.push(id);
    }
    for (const id of completedWhileLoading) tasks.delete(id);
    pendingTasks = tasks;
    queue = [...prioritizedIds, ...remainingIds];
    total = done + tasks.size;
  }

  /** One load after the other, also after one that failed. */
  let loading: Promise<void> = Promise.resolve();
  const reloadTasks = (priorityIds: readonly string[]): Promise<void> =>
    (loading = loading.catch(() => {}).then(() => runInSlices(loadTasks(priorityIds))));

  async function markCompleted(id: string): Promise<void> {
    await writeWithRetry(() => work.complete(itemId, id));
    completedWhileLoading.add(id);
    pendingTasks.delete(id);
    done += 1;
    onProgress(done, Math.max(total, done));
  }

  /** What was made is not lost to a disk that takes nothing at the moment; also not where the work is ended meanwhile. */
  const writeWithRetry = <T>(write: () => T): Promise<T> => writes.run(write);

  async function saveTake(sentence: Sentence, take: StoredTake): Promise<void> {
    await writeWithRetry(() => narrations.addTake(take));
    const { takes } = narration();
    takes.set(sentence.content, [...(takes.get(sentence.content) ?? []), take]);
  }

  async function saveNote(
    id: string,
    noteChange: { chosenTake?: string; missed?: string[] | undefined },
  ): Promise<void> {
    await writeWithRetry(() => narrations.setNote(itemId, id, noteChange));
    const { notes } = narration();
    const { chosenTake: chosenTakeId, missed } = { ...notes.get(id), ...noteChange };
    notes.set(id, {
      ...(chosenTakeId === undefined ? {} : { chosenTake: chosenTakeId }),
      ...(missed === undefined ? {} : { missed }),
    });
  }

  async function generate(sentence: Sentence): Promise<string> {
    for (
      let existing = generating.get(sentence.content);
      existing !== undefined;
      existing = generating.get(sentence.content)
    )
      await existing.catch(() => {});
    if (chosenTake(narration(), sentence) !== undefined) return "";
    const generation = (async () => {
      const existing = narrations.findTake(sentence.content);
      const take =
        (existing === undefined ? undefined : await sentenceAudio.copyTake(itemId, existing)) ??
        (await sentenceAudio.synthesize(itemId, sentence, narration().options, 0, signal));
      await saveTake(sentence, {
        ...take,
        itemId,
        sentenceId: sentence.id,
        content: sentence.content,
      });
      return take.channel;
    })();
    generating.set(sentence.content, generation);
    try {
      return await generation;
    } finally {
      generating.delete(sentence.content);
    }
  }

  async function runTask(sentence: Sentence, task: SentenceTask): Promise<string> {
    if (task === "make") return generate(sentence);
    if (task === "take") {
      const takeNumber = Math.max(
        narration().takes.get(sentence.content)?.length ?? 0,
        (lastTakeNumbers.get(sentence.content) ?? -1) + 1,
      );
      lastTakeNumbers.set(sentence.content, takeNumber);
      const take = await sentenceAudio.synthesize(
        itemId,
        sentence,
        narration().options,
        takeNumber,
        signal,
      );
      await saveTake(sentence, {
        ...take,
        itemId,
        sentenceId: sentence.id,
        content: sentence.content,
      });
      await saveNote(sentence.id, { chosenTake: take.id, missed: undefined });
      return take.channel;
    }
    const take = chosenTake(narration(), sentence);
    if (take === undefined) return "";
    const { missed, channel } = await sentenceAudio.checkTake(itemId, take, sentence, signal);
    await saveNote(sentence.id, { missed });
    return channel;
  }

  async function runWorker(): Promise<void> {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      signal.throwIfAborted();
      const task = pendingTasks.get(id);
      if (task === undefined || inProgress.has(id)) continue;
      const sentence = narration().byId.get(id);
      if (sentence === undefined) {
        await markCompleted(id);
        continue;
      }
      inProgress.add(id);
      try {
        const channel = await writes.run(() => runTask(sentence, task), signal);
        failuresInRow = 0;
        await markCompleted(id);
        onSentence(sentence, channel);
      } catch (error) {
        signal.throwIfAborted();
        // Of these no sentence is the reason: it is made later.
        if (
          !(error instanceof AppError) ||
          toStorageError(error) !== undefined ||
          error.key === "closing"
        )
          throw error;
        failuresInRow += 1;
        firstFailure ??= new AppError(
          error.key,
          `“${truncate(sentence.written)}” could not be ${task === "check" ? "heard" : "spoken"}: ${error.message}`,
          { cause: error, row: error.row },
        );
        if (failuresInRow >= maxFailures) throw firstFailure;
        await markCompleted(id);
      } finally {
        inProgress.delete(id);
      }
    }
  }

  async function run(): Promise<void> {
    await reloadTasks([]);
    // What is added while the last sentences are made is taken on by whoever is first free.
    do {
      const results = await Promise.allSettled(
        Array.from({ length: Math.min(maxConcurrent, Math.max(1, queue.length)) }, runWorker),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
      await loading;
    } while (queue.length > 0);
    if (firstFailure !== undefined) throw firstFailure;
  }

  return {
    reload: (priorityIds) => void reloadTasks(priorityIds).catch(() => {}),
    has: (id) => pendingTasks.has(id),
    done: writes.run(run, signal),
  };
}

const truncate = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 57).trimEnd()}…` : text;

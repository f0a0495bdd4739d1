// One run over the pending sentences of a narration, in script order and several in parallel. A sentence is marked as
// completed once its audio is on disk, so an interrupted run can resume. See sentence-audio.ts for how audio is
// generated.

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
  /** Returns the current state: the script may change during the run. */
  narration(): LoadedNarration;
  narrations: Narrations;
  work: NarrationWork;
  sentenceAudio: SentenceAudio;
  writes: RetriedWrites;
  /** Number of sentences processed in parallel. */
  maxConcurrent: number;
  /** A sentence has a new take, or was checked by transcription. */
  onSentence(sentence: Sentence, channel: string): void;
  onProgress(done: number, total: number): void;
};

export type NarrationRun = {
  /** Picks up tasks that were added to the work; `priorityIds` are processed first. */
  reload(priorityIds: readonly string[]): void;
  /** True while the sentence is still pending. */
  has(sentenceId: string): boolean;
  /** Resolves when no task is left. @throws AppError of the first failed sentence, after the others are done */
  readonly done: Promise<void>;
};

/** Failures in a row after which the run stops: the remaining sentences would fail too. */
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
  /** By content: sentences with equal content are generated once. */
  const generating = new Map<string, Promise<unknown>>();
  /** Last take number by content, so that equal sentences generated in parallel get different numbers. */
  const lastTakeNumbers = new Map<string, number>();
  const inProgress = new Set<string>();

  /** Sentences completed while tasks are being loaded. */
  let completedWhileLoading = new Set<string>();

  /** In script order, in time slices. @throws AppError if the script is too long */
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
      // No longer in the script: only marked as completed.
      if (!byId.has(id)) remainingIds.push(id);
    }
    for (const id of completedWhileLoading) tasks.delete(id);
    pendingTasks = tasks;
    queue = [...prioritizedIds, ...remainingIds];
    total = done + tasks.size;
  }

  /** Loads run one after the other, also after a failed one. */
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

  /**
   * Retries while the disk rejects writes, so that generated audio is not lost. Also runs after the work was cancelled.
   */
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
        // These errors are not caused by the sentence: it stays pending.
        if (
          !(error instanceof AppError) ||
          toStorageError(error) !== undefined ||
          error.key === "closing"
        )
          throw error;
        failuresInRow += 1;
        firstFailure ??= new AppError(
          task === "check" ? "narration.notChecked" : "narration.notGenerated",
          { sentence: truncate(sentence.written), why: error.sent },
          { key: error.key, cause: error, row: error.row },
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
    // Tasks added while the last sentences are processed are picked up by another round of workers.
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

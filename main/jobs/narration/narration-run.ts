// One run over the pending sentences of a narration, several in parallel. See sentence-tasks.ts for what is done with
// each, and pending-sentences.ts for their order.

import { AppError, toStorageError } from "../../contract/errors.ts";
import type { SentenceTask } from "../../library/narration-work.ts";
import { createPendingSentences, type PendingSentencesDeps } from "./pending-sentences.ts";
import { createSentenceTasks, type SentenceTasksDeps } from "./sentence-tasks.ts";
import type { Sentence } from "./sentences.ts";

export type NarrationRunDeps = PendingSentencesDeps &
  SentenceTasksDeps & {
    /** Number of sentences processed in parallel. */
    maxConcurrent: number;
    /** A sentence has a new take, or was checked by transcription. */
    onSentence(sentence: Sentence, channel: string): void;
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

export function startNarrationRun(deps: NarrationRunDeps, signal: AbortSignal): NarrationRun {
  const { narration, writes, maxConcurrent, onSentence } = deps;
  const pending = createPendingSentences(deps);
  const runTask = createSentenceTasks(deps, signal);
  let failuresInRow = 0;
  let firstFailure: AppError | undefined;

  async function processSentence(sentence: Sentence, task: SentenceTask): Promise<void> {
    try {
      const channel = await writes.run(() => runTask(sentence, task), signal);
      failuresInRow = 0;
      await pending.complete(sentence.id);
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
      firstFailure ??= toSentenceError(sentence, task, error);
      if (failuresInRow >= maxFailures) throw firstFailure;
      await pending.complete(sentence.id);
    }
  }

  async function runWorker(): Promise<void> {
    for (let next = pending.claim(); next !== undefined; next = pending.claim()) {
      const { id, task } = next;
      try {
        signal.throwIfAborted();
        const sentence = narration().byId.get(id);
        await (sentence === undefined ? pending.complete(id) : processSentence(sentence, task));
      } finally {
        pending.release(id);
      }
    }
  }

  async function run(): Promise<void> {
    await pending.reload([]);
    // Tasks added while the last sentences are processed are picked up by another round of workers.
    do {
      const workerCount = Math.min(maxConcurrent, Math.max(1, pending.count()));
      const results = await Promise.allSettled(Array.from({ length: workerCount }, runWorker));
      for (const result of results) if (result.status === "rejected") throw result.reason;
      await pending.reloaded();
    } while (pending.count() > 0);
    if (firstFailure !== undefined) throw firstFailure;
  }

  return {
    reload: (priorityIds) => void pending.reload(priorityIds).catch(() => {}),
    has: pending.has,
    done: writes.run(run, signal),
  };
}

const toSentenceError = ({ written }: Sentence, task: SentenceTask, error: AppError): AppError =>
  new AppError(
    task === "check" ? "narration.notChecked" : "narration.notGenerated",
    { sentence: truncate(written), why: error.sent },
    { key: error.key, cause: error, row: error.row },
  );

const truncate = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 57).trimEnd()}…` : text;

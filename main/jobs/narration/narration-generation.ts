// Requests to generate sentences or to check them: chooses the sentences and queues them.

import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { NarrationWork } from "../../library/narration-work.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { isGenerated, listMissingIds, requireComplete } from "./loaded-narration.ts";
import type { NarrationQueue } from "./narration-queue.ts";
import type { NarrationReader } from "./narration-reader.ts";
import { sentenceNotFoundError } from "./sentences.ts";

export type NarrationGeneration = {
  /**
   * Generates missing sentences, the listed ones first, or a new take of each listed sentence. Resolves as soon as the
   * work is queued.
   */
  generate(itemId: string, fields: GenerateFields): Promise<Item>;
  /** Checks generated sentences by transcription: those not checked yet, or all if all were checked. */
  checkSentences(itemId: string): Promise<Item>;
};

type GenerateFields = { sentenceIds?: readonly string[] | undefined; isNewTake?: boolean };

export type NarrationGenerationDeps = {
  reader: NarrationReader;
  queue: NarrationQueue;
  work: NarrationWork;
};

export function createNarrationGeneration({
  reader,
  queue,
  work,
}: NarrationGenerationDeps): NarrationGeneration {
  async function generate(
    itemId: string,
    { sentenceIds, isNewTake = false }: GenerateFields,
    signal: AbortSignal,
  ): Promise<Item> {
    const narration = requireComplete(await reader.load(itemId));
    if (sentenceIds?.some((id) => !narration.byId.has(id)) === true) throw sentenceNotFoundError();
    if (isNewTake) {
      if (sentenceIds === undefined)
        throw new AppError("narration.takeNeedsSentences", {}, { param: "sentenceIds" });
      return queue.enqueue(
        { itemId, task: "take", ids: sentenceIds, priorityIds: sentenceIds },
        signal,
      );
    }
    const requested = sentenceIds === undefined ? undefined : new Set(sentenceIds);
    const ids = await runInSlices(
      listMissingIds(narration, ({ id }) => requested?.has(id) ?? true),
    );
    return queue.enqueue(
      {
        itemId,
        task: "generate",
        ids,
        priorityIds: sentenceIds ?? [],
        isFullRun: sentenceIds === undefined,
      },
      signal,
    );
  }

  async function checkSentences(itemId: string, signal: AbortSignal): Promise<Item> {
    const narration = requireComplete(await reader.load(itemId));
    const generated = narration.sentences
      .filter((sentence) => isGenerated(narration, sentence))
      .map(({ id }) => id);
    if (generated.length === 0) throw new AppError("narration.nothingToCheck");
    const unchecked = generated.filter((id) => narration.notes.get(id)?.missed === undefined);
    // Sentences that are still to be generated keep that task.
    const pendingTasks = await runInSlices(work.loadPending(itemId));
    const ids = (unchecked.length > 0 ? unchecked : generated).filter(
      (id) => !pendingTasks.has(id),
    );
    return queue.enqueue({ itemId, task: "check", ids }, signal);
  }

  return {
    generate: (itemId, fields) =>
      queue.request(itemId, (signal) => generate(itemId, fields, signal)),
    checkSentences: (itemId) => queue.request(itemId, (signal) => checkSentences(itemId, signal)),
  };
}

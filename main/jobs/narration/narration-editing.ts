// Creates narrations and changes them: script, options, chosen takes and pronunciations. Takes of unchanged sentences
// are kept.

import type { AudiobookDetails } from "../../audiobook/audiobook-details.ts";
import type { AppEvent } from "../../contract/app-event.ts";
import type { Item } from "../../contract/library-item.ts";
import type { NarrateOptions, Narration } from "../../contract/narration.ts";
import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import type { Items, NewItem } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { Narrations } from "../../library/narrations.ts";
import { listPronunciations, type Vocabulary } from "../../library/vocabulary.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import {
  chosenTake,
  listMissingIds,
  type LoadedNarration,
  takeNotFoundError,
} from "./loaded-narration.ts";
import type { NarrationCache } from "./narration-cache.ts";
import type { NarrationQueue } from "./narration-queue.ts";
import type { NarrationReader } from "./narration-reader.ts";
import type { ActiveRun, ActiveRuns } from "./active-runs.ts";
import { sentenceNotFoundError } from "./sentences.ts";

export type NewNarration = { title: string; script: string; options: NarrateOptions };

export type NarrationEditing = {
  create(fields: NewNarration): Item;
  /** Also stores title, author and cover of its files: everything or nothing. */
  createWithDetails(
    fields: NewNarration,
    readDetails: Parameters<AudiobookDetails["save"]>[1],
  ): Promise<Item>;
  /** Takes of unchanged sentences are kept. @throws AppError `conflict` */
  change(
    itemId: string,
    fields: { revision: number; script: string; options: NarrateOptions },
  ): Promise<Narration>;
  chooseTake(itemId: string, sentenceId: string, takeId: string): Promise<Narration>;
  /** Sentences whose pronunciation changes get new ids. They have takes only if such takes were generated before. */
  setVocabulary(entries: readonly VocabularyEntry[]): Promise<void>;
};

export type NarrationEditingDeps = {
  writes: RetriedWrites;
  items: Items;
  narrations: Narrations;
  vocabulary: Vocabulary;
  tasks: Pick<AsyncLibraryTasks, "changeNarration">;
  details: AudiobookDetails;
  cache: NarrationCache;
  reader: NarrationReader;
  runs: ActiveRuns;
  queue: NarrationQueue;
  events: { publish(event: AppEvent): void };
  speaksOnlyEnglish(model: string): boolean;
};

const withKokoro = ({ options, ...fields }: NewNarration): NewNarration => ({
  ...fields,
  options: { ...options, englishFamily: "kokoro-compact" },
});

export function createNarrationEditing(deps: NarrationEditingDeps): NarrationEditing {
  const { items, narrations, vocabulary, tasks, details, cache, reader, runs, events } = deps;

  const toNewItem = ({ title, script, options }: NewNarration): NewItem => ({
    kind: "narration",
    title: title === "" ? titleOf(script) : title,
    source: "text",
    language: deps.speaksOnlyEnglish(options.model) ? "en" : "",
  });

  function onChanged(itemId: string): void {
    const run = runs.get(itemId);
    const narration = cache.get(itemId);
    if (run === undefined) runs.updateItemLater(itemId);
    else if (run.isFullRun) generateNewSentences(deps, narration, run);
    events.publish({ type: "document", itemId, revision: narration.revision });
  }

  /** Yields after each narration. */
  function* notifyChangedInSteps(before: readonly LoadedNarration[]): Generator<undefined, void> {
    for (const { itemId, sentences } of before) {
      yield;
      if (
        items.find(itemId) !== undefined &&
        cache.get(itemId).sentences.some(({ id }, index) => id !== sentences[index]?.id)
      )
        onChanged(itemId);
    }
  }

  const listRecentIds = (): string[] =>
    cache.recentItemIds().filter((itemId) => items.find(itemId) !== undefined);

  return {
    create: (fields) =>
      items.create(toNewItem(fields), (id) => narrations.create(id, withKokoro(fields))),
    async createWithDetails(given, newDetails) {
      const fields = withKokoro(given);
      await cache.prepareScript(fields.script, fields.options);
      return items.createWithFiles(
        toNewItem(fields),
        (_, id) => details.save(id, newDetails),
        (id) => narrations.create(id, fields),
      );
    },
    async change(itemId, given) {
      items.read(itemId);
      const options = { ...narrations.read(itemId).options, ...given.options };
      const fields = { ...given, options };
      await cache.prepareScript(fields.script, fields.options);
      items.read(itemId);
      await retryWhileBusy(() => tasks.changeNarration(itemId, fields));
      onChanged(itemId);
      return reader.present(reader.get(itemId));
    },
    async chooseTake(itemId, sentenceId, takeId) {
      const narration = await reader.load(itemId);
      const sentence = narration.byId.get(sentenceId);
      if (sentence === undefined) throw sentenceNotFoundError();
      if (!narration.takes.get(sentence.content)?.some(({ id }) => id === takeId))
        throw takeNotFoundError();
      if (chosenTake(narration, sentence)?.id !== takeId) {
        narrations.setNote(itemId, sentenceId, { chosenTake: takeId, missed: undefined });
        narration.notes.set(sentenceId, { chosenTake: takeId });
        void reader.publishSentence(narration, sentence);
        runs.updateItemLater(itemId);
      }
      return reader.present(narration);
    },
    async setVocabulary(entries) {
      const said = listPronunciations(entries);
      if (JSON.stringify(said) === JSON.stringify(vocabulary.pronunciations()))
        return vocabulary.replace(entries);
      for (const itemId of listRecentIds()) await cache.prepare(itemId, said);
      const before = listRecentIds().map(cache.get);
      vocabulary.replace(entries);
      await runInSlices(notifyChangedInSteps(before));
    },
  };
}

/** In the background: the change itself is already stored. */
function generateNewSentences(
  { writes, queue }: Pick<NarrationEditingDeps, "writes" | "queue">,
  narration: LoadedNarration,
  { run, stop }: ActiveRun,
): void {
  const { itemId } = narration;
  writes.runInBackground(async () => {
    if (stop.signal.aborted) return;
    await queue.request(itemId, async (signal) => {
      const ids = await runInSlices(listMissingIds(narration, ({ id }) => !run.has(id)));
      return queue.enqueue({ itemId, task: "generate", ids }, signal);
    });
  });
}

/** The title is searched in this many characters of the script. */
const titleSearchCharacters = 10_000;

/** The first line that contains a letter or digit. */
function titleOf(script: string): string {
  const start = script.slice(0, titleSearchCharacters).split("\n");
  const line = start
    .map((each) => each.replace(/^\s*(?:(?:\[[^\]]*\]|#{1,6})\s*)*/, "").trim())
    .find((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined) return "Untitled";
  return line.length > 80 ? `${line.slice(0, 77).trimEnd()}…` : line;
}

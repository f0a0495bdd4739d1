// Narrations: splits scripts into sentences, generates takes in order with any model, stores them, checks them by
// transcription and exports audiobooks. `resume` continues work that was interrupted by a shutdown.

import { readFile } from "node:fs/promises";
import type { Router } from "../../channels/router.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { AppEvent } from "../../contract/app-event.ts";
import type { Item } from "../../contract/library-item.ts";
import type {
  NarrateOptions,
  Narration,
  NarrationExport,
  Pronunciation,
} from "../../contract/narration.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items, NewItem } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { NarrationWork, SentenceTask } from "../../library/narration-work.ts";
import type { Narrations } from "../../library/narrations.ts";
import type { Pronunciations } from "../../library/pronunciations.ts";
import type { Log } from "../../log.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import {
  type AudiobookDetails,
  createAudiobookDetails,
} from "../../audiobook/audiobook-details.ts";
import {
  type AudiobookExport,
  exportAudiobook,
  listGeneratedSentences,
} from "./audiobook-export.ts";
import {
  type LoadedNarration,
  chosenTake,
  createNarrationCache,
  isGenerated,
  measureGenerated,
  type NarrationCache,
  toNarration,
  toNarrationSentence,
} from "./narration-cache.ts";
import type { Sentence } from "./sentences.ts";
import { joinPeaks } from "../../audiobook/take-peaks.ts";
import { createSentenceAudio } from "./sentence-audio.ts";
import { startNarrationRun, type NarrationRun } from "./narration-run.ts";

export type NarrationJobsDeps = {
  writes: RetriedWrites;
  items: Items;
  narrations: Narrations;
  work: NarrationWork;
  tasks: Pick<AsyncLibraryTasks, "changeNarration" | "addWork" | "dropWork">;
  pronunciations: Pronunciations;
  router: Router;
  pool: Pool;
  events: { publish(event: AppEvent): void };
  /** Voice names that a script may use, in addition to those that every provider has. */
  voices(): readonly string[];
  /** True if only this machine serves the model. Its voices support English only. */
  isLocalModel(model: string): boolean;
  /** An existing folder for temporary audio files. */
  tempDir: () => string;
  log: Log;
  now?: () => number;
};

export type NewNarration = { title: string; script: string; options: NarrateOptions };

/** Methods throw AppError `not_found` for an unknown item. */
export type NarrationJobs = {
  create(fields: NewNarration): Item;
  /** Also stores title, author and cover of its files: everything or nothing. */
  createWithDetails(
    fields: NewNarration,
    readDetails: Parameters<AudiobookDetails["save"]>[1],
  ): Promise<Item>;
  read(itemId: string): Promise<Narration>;
  /** Takes of unchanged sentences are kept. @throws AppError `conflict` */
  change(
    itemId: string,
    fields: { revision: number; script: string; options: NarrateOptions },
  ): Promise<Narration>;
  /**
   * Generates missing sentences, the listed ones first, or a new take of each listed sentence. Resolves as soon as the
   * work is queued.
   */
  generate(
    itemId: string,
    fields: { sentenceIds?: readonly string[] | undefined; isNewTake?: boolean },
  ): Promise<Item>;
  /** Checks generated sentences by transcription: those not checked yet, or all if all were checked. */
  checkSentences(itemId: string): Promise<Item>;
  chooseTake(itemId: string, sentenceId: string, takeId: string): Promise<Narration>;
  /** Cancels the work, if any, and deletes its tasks; takes are kept. Resolves when nothing more is written. */
  cancel(itemId: string): Promise<void>;
  /** Resolves when no work on the item is running; the result is in the item. */
  whenIdle(itemId: string): Promise<void>;
  /** The file of a take. @throws AppError `not_found` */
  takePath(itemId: string, takeId: string): string;
  pronunciations(): readonly Pronunciation[];
  /** Parses the script in time slices, so that the next call finds it in the cache. @throws as `change` */
  prepare: NarrationCache["prepare"];
  /** Sentences whose pronunciation changes get new ids. They have takes only if such takes were generated before. */
  setPronunciations(entries: readonly Pronunciation[]): Promise<void>;
  /** Title and author of its files, and the path of their cover. */
  readDetails(itemId: string): ReturnType<AudiobookDetails["read"]>;
  saveDetails: AudiobookDetails["save"];
  /** In the format of a file's peaks. @throws AppError if a sentence is not generated yet */
  peaks(itemId: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Uses the stored title, author and cover. Publishes its progress as events. @throws AppError if a sentence is not
   * generated yet
   */
  exportAudiobook(
    itemId: string,
    options: NarrationExport,
    signal: AbortSignal,
  ): Promise<AudiobookExport>;
  /** Resumes work that was interrupted by a shutdown. Stops if the app is closed meanwhile. */
  resume(): Promise<void>;
  /** Stops the work; it resumes at the next start. */
  close(): Promise<void>;
};

type Running = {
  run: NarrationRun;
  stop: AbortController;
  finished: Promise<void>;
  /** All sentences are requested, including those added to the script later. */ isFullRun: boolean;
};

/** Requested work that is not stored yet. It starts once it is stored. */
type PendingRequest = {
  readonly itemId: string;
  readonly stop: AbortController;
  readonly finished: Promise<unknown>;
};

type Outcome = { state?: Item["state"]; error?: SentMessage | undefined };

const shutdownReason = new Error("the app stops");
const cancelReason = new Error("cancelled");

export function createNarrationJobs(deps: NarrationJobsDeps): NarrationJobs {
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
    isLocalModel,
    now = Date.now,
  } = deps;
  const narrationCache = createNarrationCache({ narrations, pronunciations, voices: deps.voices });
  const recordSentTo = (itemId: string, channel: string): void =>
    writes.runInBackground(() => items.recordSentTo(itemId, channel));
  const sentenceAudio = createSentenceAudio({
    writes,
    router: deps.router,
    pool,
    tempDir: deps.tempDir,
    folder: items.folder,
    onChannelSelected: recordSentTo,
    isLocalModel,
    now,
  });
  const audiobookDetails = createAudiobookDetails(items.folder);
  const running = new Map<string, Running>();
  const pendingRequests = new Set<PendingRequest>();
  let isClosed = false;

  /** @throws AppError `not_found`, also for a removed narration whose rows still exist */
  function getNarration(itemId: string): LoadedNarration {
    items.read(itemId);
    return narrationCache.get(itemId);
  }

  /** Parses the script in time slices. */
  async function loadNarration(itemId: string): Promise<LoadedNarration> {
    items.read(itemId);
    await narrationCache.prepare(itemId);
    return getNarration(itemId);
  }

  const presentNarration = (narration: LoadedNarration): Promise<Narration> =>
    runInSlices(toNarration(narration, isLocalModel(narration.options.model)));

  /** In time slices: the same sentence may occur thousands of times in a narration. */
  const publishSentence = (narration: LoadedNarration, sentence: Sentence): Promise<void> =>
    runInSlices(publishSentenceInSteps(narration, sentence));

  function* publishSentenceInSteps(
    narration: LoadedNarration,
    sentence: Sentence,
  ): Generator<undefined, void> {
    for (const each of narration.sentences) {
      yield;
      if (each.content === sentence.content)
        events.publish({
          type: "sentence",
          itemId: narration.itemId,
          sentence: toNarrationSentence(narration, each),
        });
    }
  }

  /** Updates state, progress and duration of the item from what is generated. */
  async function updateItemState(itemId: string, outcome: Outcome = {}): Promise<Item> {
    const narration = await loadNarration(itemId);
    const generated = await runInSlices(measureGenerated(narration));
    const state = outcome.state ?? (generated.progress === 1 ? "done" : "waiting");
    // A script that is too long has no sentences here, but takes on disk: progress and duration stay as they are.
    return items.change(itemId, {
      ...(narration.tooLongError === undefined ? generated : {}),
      state,
      leftSec: undefined,
      error: outcome.error,
    });
  }

  const start = (itemId: string, isFullRun: boolean): void =>
    writes.withLabel(itemId, () => startRun(itemId, isFullRun));

  function startRun(itemId: string, isFullRun: boolean): void {
    const stop = new AbortController();
    const runStartedMs = now();
    const run = startNarrationRun(
      {
        itemId,
        narration: () => narrationCache.get(itemId),
        narrations,
        work,
        sentenceAudio,
        writes,
        maxConcurrent: pool.size,
        onSentence(sentence, channel) {
          if (items.find(itemId) === undefined) return;
          void publishSentence(narrationCache.get(itemId), sentence);
          if (channel !== "") recordSentTo(itemId, channel);
        },
        onProgress: (done, total) =>
          items.progress(
            itemId,
            done / total,
            ((now() - runStartedMs) / 1000 / done) * (total - done),
          ),
      },
      stop.signal,
    );
    running.set(itemId, {
      run,
      stop,
      isFullRun,
      finished: handleRunEnd(itemId, run.done, stop.signal),
    });
  }

  /** Never rejects. */
  async function handleRunEnd(
    itemId: string,
    done: Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const outcome = await awaitOutcome(itemId, done, signal);
      running.delete(itemId);
      if (outcome !== undefined) await close(itemId, outcome);
    } catch (error) {
      // The stored state is unchanged, so the next start continues from it.
      if (!isClosed) log.error({ err: error, itemId }, "how a narration ended could not be kept");
    } finally {
      if (running.get(itemId)?.run.done === done) running.delete(itemId);
    }
  }

  /** @returns undefined if the remaining work resumes at the next start */
  async function awaitOutcome(
    itemId: string,
    done: Promise<void>,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    try {
      await done;
      return {};
    } catch (error) {
      if (
        isClosed ||
        signal.reason === shutdownReason ||
        (error instanceof AppError && error.key === "closing")
      )
        return undefined;
      if (!signal.aborted && !(error instanceof AppError))
        log.error({ err: error, itemId }, "a narration failed");
      await writes.run(() => tasks.dropWork(itemId));
      if (signal.aborted) return { state: "cancelled" };
      return {
        state: "failed",
        error: error instanceof AppError ? error.sent : createMessage("narration.unexpected"),
      };
    }
  }

  async function close(itemId: string, outcome: Outcome): Promise<void> {
    await writes.run(async () => {
      if (items.find(itemId) === undefined || running.has(itemId)) return;
      // Work was added just when the last sentence was completed.
      if (outcome.state === undefined && work.has(itemId)) return start(itemId, false);
      const isComplete =
        outcome.state === "cancelled" &&
        (await runInSlices(measureGenerated(await loadNarration(itemId)))).progress === 1;
      if (!running.has(itemId)) await updateItemState(itemId, isComplete ? {} : outcome);
    });
    await writes.run(() => items.updateSize(itemId));
  }

  /** Runs in the background: the change itself is already stored. */
  const updateItemStateLater = (itemId: string): void =>
    writes.runInBackground(async () => running.has(itemId) || updateItemState(itemId));

  /** For operations that end in `enqueue`: stopping the item's work aborts them as well and waits for them. */
  async function runCancellable<T>(
    itemId: string,
    prepare: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (isClosed) throw new AppError("closing");
    const stop = new AbortController();
    const prepared = writes.withLabel(itemId, () => prepare(stop.signal));
    const request: PendingRequest = { itemId, stop, finished: prepared.catch(() => {}) };
    pendingRequests.add(request);
    try {
      return await prepared;
    } finally {
      pendingRequests.delete(request);
    }
  }

  /** @param signal the one that `runCancellable` passes */
  async function enqueue(
    itemId: string,
    task: SentenceTask,
    ids: readonly string[],
    signal: AbortSignal,
    { first = [], isFullRun = false }: { first?: readonly string[]; isFullRun?: boolean } = {},
  ): Promise<Item> {
    if (isClosed) throw new AppError("closing");
    if (signal.aborted) return items.read(itemId);
    if (ids.length === 0) return running.has(itemId) ? items.read(itemId) : updateItemState(itemId);
    await retryWhileBusy(() => tasks.addWork(itemId, task, ids));
    if (signal.reason === cancelReason) {
      await writes.run(() => tasks.dropWork(itemId));
      await close(itemId, { state: "cancelled" });
      return items.read(itemId);
    }
    // The work is stored: it starts at the next start of the app.
    if (isClosed) return items.read(itemId);
    items.read(itemId);
    const current = running.get(itemId);
    if (current === undefined) {
      start(itemId, isFullRun);
      // If this write fails, the work still continues, and later progress updates are stored.
      writes.runInBackground(
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
      current.isFullRun ||= isFullRun;
      current.run.reload(first);
    }
    return items.read(itemId);
  }

  async function generate(
    itemId: string,
    { sentenceIds, isNewTake = false }: Parameters<NarrationJobs["generate"]>[1],
    signal: AbortSignal,
  ): Promise<Item> {
    const narration = requireComplete(await loadNarration(itemId));
    const unknownId = sentenceIds?.find((id) => !narration.byId.has(id));
    if (unknownId !== undefined) throw sentenceNotFoundError();
    if (isNewTake && sentenceIds === undefined)
      throw new AppError("narration.takeNeedsSentences", {}, { param: "sentenceIds" });
    const requestedIds = new Set(sentenceIds);
    const idsToGenerate = isNewTake
      ? (sentenceIds ?? [])
      : await runInSlices(
          listMissingIds(narration, ({ id }) => sentenceIds === undefined || requestedIds.has(id)),
        );
    return enqueue(itemId, isNewTake ? "take" : "make", idsToGenerate, signal, {
      first: sentenceIds ?? [],
      isFullRun: sentenceIds === undefined,
    });
  }

  async function checkSentences(itemId: string, signal: AbortSignal): Promise<Item> {
    const narration = requireComplete(await loadNarration(itemId));
    const generated = narration.sentences
      .filter((sentence) => isGenerated(narration, sentence))
      .map(({ id }) => id);
    if (generated.length === 0) throw new AppError("narration.nothingToCheck");
    const uncheckedIds = generated.filter((id) => narration.notes.get(id)?.missed === undefined);
    // Sentences that are still to be generated keep that task.
    const pendingTasks = await runInSlices(work.loadPending(itemId));
    return enqueue(
      itemId,
      "check",
      (uncheckedIds.length > 0 ? uncheckedIds : generated).filter((id) => !pendingTasks.has(id)),
      signal,
    );
  }

  /** Called when the script or its options changed. A full run also generates the new sentences. */
  function onNarrationChanged(itemId: string): void {
    const current = running.get(itemId);
    const narration = narrationCache.get(itemId);
    if (current === undefined) updateItemStateLater(itemId);
    else if (current.isFullRun)
      writes.runInBackground(
        () =>
          current.stop.signal.aborted ||
          runCancellable(itemId, async (signal) =>
            enqueue(
              itemId,
              "make",
              await runInSlices(listMissingIds(narration, ({ id }) => !current.run.has(id))),
              signal,
            ),
          ),
      );
    events.publish({ type: "document", itemId, revision: narration.revision });
  }

  /** Yields after each narration. */
  function* notifyChangedInSteps(
    before: ReadonlyMap<string, LoadedNarration>,
  ): Generator<undefined, void> {
    for (const [itemId, { sentences }] of before) {
      yield;
      if (
        items.find(itemId) !== undefined &&
        narrationCache.get(itemId).sentences.some(({ id }, index) => id !== sentences[index]?.id)
      )
        onNarrationChanged(itemId);
    }
  }

  async function stopWork(itemId: string, reason: Error): Promise<void> {
    const current = running.get(itemId);
    const stoppedWork = [
      ...(current === undefined ? [] : [current]),
      ...[...pendingRequests].filter((one) => one.itemId === itemId),
    ];
    for (const { stop } of stoppedWork) stop.abort(reason);
    const ended = Promise.all(stoppedWork.map((one) => one.finished));
    await (reason === shutdownReason ? ended : writes.orStorageFailure(itemId, ended));
  }

  const newItem = ({ title, script, options }: NewNarration): NewItem => ({
    kind: "narration",
    title: title === "" ? titleOf(script) : title,
    source: "text",
    language: isLocalModel(options.model) ? "en" : "",
  });

  return {
    create: (fields) => items.create(newItem(fields), (id) => narrations.create(id, fields)),
    async createWithDetails(fields, newDetails) {
      await narrationCache.prepareNew(fields.script, fields.options);
      return items.createWithFiles(
        newItem(fields),
        (_, id) => audiobookDetails.save(id, newDetails),
        (id) => narrations.create(id, fields),
      );
    },
    read: async (itemId) => presentNarration(await loadNarration(itemId)),
    async change(itemId, fields) {
      items.read(itemId);
      await narrationCache.prepare(itemId, fields);
      items.read(itemId);
      await retryWhileBusy(() => tasks.changeNarration(itemId, fields));
      onNarrationChanged(itemId);
      return presentNarration(getNarration(itemId));
    },
    generate: (itemId, fields) =>
      runCancellable(itemId, (signal) => generate(itemId, fields, signal)),
    checkSentences: (itemId) => runCancellable(itemId, (signal) => checkSentences(itemId, signal)),
    async chooseTake(itemId, sentenceId, takeId) {
      const narration = await loadNarration(itemId);
      const sentence = narration.byId.get(sentenceId);
      if (sentence === undefined) throw sentenceNotFoundError();
      if (!narration.takes.get(sentence.content)?.some(({ id }) => id === takeId))
        throw takeNotFoundError();
      if (chosenTake(narration, sentence)?.id !== takeId) {
        narrations.setNote(itemId, sentenceId, { chosenTake: takeId, missed: undefined });
        narration.notes.set(sentenceId, { chosenTake: takeId });
        void publishSentence(narration, sentence);
        updateItemStateLater(itemId);
      }
      return presentNarration(narration);
    },
    cancel: (itemId) => stopWork(itemId, cancelReason),
    whenIdle: async (itemId) => running.get(itemId)?.finished,
    takePath(itemId, takeId) {
      const narration = getNarration(itemId);
      for (const takes of narration.takes.values())
        if (takes.some(({ id }) => id === takeId)) return sentenceAudio.takePath(itemId, takeId);
      throw takeNotFoundError();
    },
    pronunciations: pronunciations.list,
    async prepare(itemId, change) {
      items.read(itemId);
      await narrationCache.prepare(itemId, change);
    },
    async setPronunciations(entries) {
      for (const itemId of narrationCache.recentItemIds())
        if (items.find(itemId) !== undefined)
          await narrationCache.prepare(itemId, { pronunciations: entries });
      const before = new Map(
        narrationCache
          .recentItemIds()
          .flatMap((itemId) =>
            items.find(itemId) === undefined ? [] : [[itemId, narrationCache.get(itemId)] as const],
          ),
      );
      pronunciations.replace(entries);
      await runInSlices(notifyChangedInSteps(before));
    },
    async readDetails(itemId) {
      items.read(itemId);
      return audiobookDetails.read(itemId);
    },
    async saveDetails(itemId, fields) {
      items.read(itemId);
      await audiobookDetails.save(itemId, fields);
    },
    async peaks(itemId) {
      const narration = requireComplete(getNarration(itemId));
      return joinPeaks(
        (await runInSlices(listGeneratedSentences(narration))).map(
          ({ takeId, durationSec, pauseSec }) => ({
            wavPath: sentenceAudio.takePath(itemId, takeId),
            durationSec,
            pauseSec,
          }),
        ),
      );
    },
    async exportAudiobook(itemId, options, signal) {
      const narration = requireComplete(getNarration(itemId));
      const onProgress = (progress: number): void =>
        events.publish({ type: "narration-file", itemId, progress });
      const { title, author, coverPath } = await audiobookDetails.read(itemId);
      const cover = coverPath === undefined ? {} : { cover: await readFile(coverPath) };
      return exportAudiobook(
        { pool, tempDir: deps.tempDir, takePath: sentenceAudio.takePath, onProgress },
        narration,
        { ...options, title: title === "" ? items.read(itemId).title : title, author, ...cover },
        signal,
      );
    },
    async resume() {
      const itemIdsWithWork = new Set(work.itemIds());
      for (const itemId of itemIdsWithWork) {
        try {
          await narrationCache.prepare(itemId);
        } catch (error) {
          log.error({ err: error, itemId }, "the work on a narration could not be resumed");
          continue;
        }
        if (isClosed) return;
        if (running.has(itemId) || !work.has(itemId)) continue;
        start(itemId, false);
        // The app stopped right after the work was stored.
        if (items.find(itemId)?.state !== "running")
          writes.runInBackground(
            () =>
              running.has(itemId) && items.change(itemId, { state: "running", error: undefined }),
          );
      }
      for (const { id } of items.list({ kind: "narration", state: "running" }))
        if (!itemIdsWithWork.has(id)) updateItemStateLater(id);
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...new Set([...running.keys(), ...[...pendingRequests].map(({ itemId }) => itemId)])].map(
          (itemId) => stopWork(itemId, shutdownReason),
        ),
      );
    },
  };
}

/** @throws AppError if the script is too long: its sentences are unknown */
function requireComplete(narration: LoadedNarration): LoadedNarration {
  if (narration.tooLongError !== undefined) throw narration.tooLongError;
  return narration;
}

function* listMissingIds(
  narration: LoadedNarration,
  isRequested: (sentence: Sentence) => boolean,
): Generator<undefined, string[]> {
  const ids: string[] = [];
  for (const sentence of narration.sentences) {
    yield;
    if (!isGenerated(narration, sentence) && isRequested(sentence)) ids.push(sentence.id);
  }
  return ids;
}

const sentenceNotFoundError = (): AppError =>
  new AppError("narration.sentenceUnknown", {}, { param: "sentenceId" });
const takeNotFoundError = (): AppError =>
  new AppError("narration.takeUnknown", {}, { param: "takeId" });

/** The title is searched in this many characters of the script. */
const titleSearchCharacters = 10_000;

/** The first line that contains a letter or digit. */
function titleOf(script: string): string {
  const start = script.slice(0, titleSearchCharacters).split("\n");
  const line = start
    .map((each) => each.replace(/^\s*(?:\[[^\]]*\]|#{1,6})\s*/, "").trim())
    .find((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined) return "Untitled";
  return line.length > 80 ? `${line.slice(0, 77).trimEnd()}…` : line;
}

// Narrations: edits scripts, generates takes of their sentences in order with any model, checks them by transcription
// and exports audiobooks.

import { createAudiobookDetails } from "../../audiobook/audiobook-details.ts";
import type { Router } from "../../channels/router.ts";
import type { AppEvent } from "../../contract/app-event.ts";
import type { CastProposal, Narration } from "../../contract/narration.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { NarrationWork } from "../../library/narration-work.ts";
import type { Narrations } from "../../library/narrations.ts";
import { listPronunciations, type Vocabulary } from "../../library/vocabulary.ts";
import type { Log } from "../../log.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { countWordsInSteps } from "../../text/script/count-words.ts";
import { proposeCastInSteps } from "../../text/script/propose-cast.ts";
import { checkTake } from "./check-take.ts";
import { createNarrationCache } from "./narration-cache.ts";
import { createNarrationEditing, type NarrationEditing } from "./narration-editing.ts";
import { createNarrationFiles, type NarrationFiles } from "./narration-files.ts";
import { createNarrationGeneration, type NarrationGeneration } from "./narration-generation.ts";
import { createNarrationQueue, type NarrationQueue } from "./narration-queue.ts";
import { createNarrationReader } from "./narration-reader.ts";
import { type NarrationRun, startNarrationRun } from "./narration-run.ts";
import { createActiveRuns } from "./active-runs.ts";
import { createSentenceAudio } from "./sentence-audio.ts";

export type NarrationJobsDeps = {
  writes: RetriedWrites;
  items: Items;
  narrations: Narrations;
  work: NarrationWork;
  tasks: Pick<AsyncLibraryTasks, "changeNarration" | "addWork" | "dropWork">;
  vocabulary: Vocabulary;
  router: Router;
  pool: Pool;
  events: { publish(event: AppEvent): void };
  /** Voice names that a script may use, in addition to those that every provider has. */
  voices(): readonly string[];
  /** ISO-639-1 codes of the languages spoken under a name; undefined if other machines serve it too. */
  spokenLanguages(model: string): ReadonlySet<string> | undefined;
  /** True if only this machine serves the model. */
  isLocalModel(model: string): boolean;
  /** True if, besides, none of its voices here speaks another language. */
  speaksOnlyEnglish(model: string): boolean;
  /** An existing folder for temporary audio files. */
  tempDir: () => string;
  log: Log;
  now?: () => number;
};

/** Methods throw AppError `not_found` for an unknown item. */
export type NarrationJobs = NarrationEditing &
  NarrationGeneration &
  NarrationFiles &
  Pick<NarrationQueue, "cancel" | "resume" | "close"> & {
    read(itemId: string): Promise<Narration>;
    /** Who speaks in the script of a novel. @param narrator the name of the role for what nobody says */
    proposeCast(itemId: string, narrator: string): Promise<CastProposal>;
    /** How often each English word occurs that has no pronunciation of the user's. */
    countWords(itemId: string): Promise<Map<string, number>>;
    /** Parses the script in time slices, so that the next call finds it in the cache. */
    prepare(itemId: string): Promise<void>;
    /** Resolves when no work on the item is running; the result is in the item. */
    whenIdle(itemId: string): Promise<void>;
  };

export function createNarrationJobs(deps: NarrationJobsDeps): NarrationJobs {
  const { writes, items, narrations, work, router, pool, speaksOnlyEnglish, now = Date.now } = deps;
  const closing = new AbortController();
  const recordSentTo = (itemId: string, channel: string): void =>
    writes.runInBackground(() => items.recordSentTo(itemId, channel));
  const details = createAudiobookDetails(items.folder);
  const sentenceAudio = createSentenceAudio({
    ...deps,
    folder: items.folder,
    onSentTo: recordSentTo,
  });
  const cache = createNarrationCache(deps);
  const reader = createNarrationReader({ ...deps, cache });
  const runs = createActiveRuns({
    ...deps,
    loadNarration: reader.load,
    startRun,
    closing: closing.signal,
  });
  const queue = createNarrationQueue({ ...deps, runs, prepareNarration: cache.prepare, closing });
  const { takePath } = sentenceAudio;

  function startRun(itemId: string, signal: AbortSignal): NarrationRun {
    const startedMs = now();
    return startNarrationRun(
      {
        itemId,
        narration: () => cache.get(itemId),
        narrations,
        work,
        sentenceAudio,
        checkTake: (take, sentence) =>
          checkTake(
            {
              router,
              speaksOnlyEnglish,
              onSentTo: (channel) => recordSentTo(itemId, channel),
            },
            { take, mediaPath: takePath(itemId, take.id), sentence },
            signal,
          ),
        writes,
        maxConcurrent: pool.size,
        onSentence(sentence, channel) {
          if (items.find(itemId) === undefined) return;
          void reader.publishSentence(cache.get(itemId), sentence);
          if (channel !== "") recordSentTo(itemId, channel);
        },
        onProgress(done, total) {
          const elapsedSec = (now() - startedMs) / 1000;
          items.progress(itemId, done / total, (elapsedSec / done) * (total - done));
        },
      },
      signal,
    );
  }

  return {
    ...createNarrationEditing({ ...deps, details, cache, reader, runs, queue }),
    ...createNarrationGeneration({ reader, queue, work }),
    ...createNarrationFiles({ ...deps, details, reader, takePath }),
    read: async (itemId) => reader.present(await reader.load(itemId)),
    proposeCast: (itemId, narrator) =>
      runInSlices(proposeCastInSteps(narrations.read(itemId).script, narrator)),
    async countWords(itemId) {
      const { sentences, options } = await reader.load(itemId);
      const english = sentences.filter(
        ({ language }) => language === undefined || language === "en",
      );
      const counts = await runInSlices(countWordsInSteps(english.map(({ written }) => written)));
      const said = new Set(
        [
          ...deps.vocabulary.pronunciations(),
          ...listPronunciations(options.pronunciations ?? []),
        ].map(({ word }) => word.trim().toLowerCase()),
      );
      for (const word of counts.keys()) if (said.has(word.toLowerCase())) counts.delete(word);
      return counts;
    },
    async prepare(itemId) {
      items.read(itemId);
      await cache.prepare(itemId);
    },
    whenIdle: async (itemId) => runs.get(itemId)?.finished,
    cancel: queue.cancel,
    resume: queue.resume,
    close: queue.close,
  };
}

// Creates the services behind the window: library, transcription and narration. Interrupted work resumes only when
// `resume` is called; a single CLI command does not call it.

import type { Router } from "../channels/router.ts";
import type { FindSpeakers, FollowSpeakers } from "../contract/speakers.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { Database } from "../storage/database.ts";
import { createDocuments, type Documents } from "../library/documents.ts";
import { createItems, type Items } from "../library/items.ts";
import type { AsyncLibraryTasks } from "../library/library-tasks.ts";
import { createNarrationWork } from "../library/narration-work.ts";
import { createNarrations, type Narrations } from "../library/narrations.ts";
import { createPeople, type People } from "../library/people.ts";

import { createQueueStore } from "../library/queue-state.ts";
import { createVocabulary, type Vocabulary } from "../library/vocabulary.ts";
import type { Log } from "../log.ts";
import { createRetriedWrites, type RetriedWrites } from "../storage/retried-writes.ts";
import type { Platform } from "../platform.ts";
import type { AppEvents } from "./events.ts";
import { createDocumentImport, type DocumentImport } from "./document-import/document-import.ts";
import { createNarrationJobs, type NarrationJobs } from "./narration/narration-jobs.ts";
import {
  createRememberedVoices,
  type RememberedVoices,
} from "./transcription/remembered-voices.ts";
import {
  createTranscriptionJobs,
  type TranscriptionJobs,
} from "./transcription/transcription-jobs.ts";

export type JobsDeps = {
  database: Database;
  tasks: AsyncLibraryTasks;
  dataDir: string;
  /** An existing folder for temporary files. */
  tempDir: () => string;
  router: Router;
  pool: Pool;
  events: AppEvents;
  vad: InstalledModel;
  findSpeakers: FindSpeakers;
  followSpeakers: FollowSpeakers;
  /** Names of the available voices. */
  voices(): readonly string[];
  /** As in `ItemsDeps`. */
  keepRemovedDays?: () => number;
  /** Languages that models of this machine speak under a name. */
  speechLanguages(model: string): readonly string[];
  launchChild: Platform["launchChild"];
  log: Log;
};

export type Jobs = {
  readonly items: Items;
  readonly documents: Documents;
  readonly narrations: Narrations;
  readonly transcriptionJobs: TranscriptionJobs;
  readonly narrationJobs: NarrationJobs;
  readonly people: People;
  readonly vocabulary: Vocabulary;
  readonly rememberedVoices: RememberedVoices;
  /** Records that a channel receives an item's audio or text. Retried while the disk rejects writes. */
  recordSentTo(itemId: string, channel: string): void;
  /** The error that pending writes are waiting on. */
  readonly storageProblem: RetriedWrites["problem"];
  readonly documentImport: DocumentImport;
  /** Stops all work on an item. Resolves when nothing more is written to it. */
  stopWork(itemId: string): Promise<void>;
  /** Resumes work that was interrupted by a shutdown, and deletes items that were removed long ago. */
  resume(): Promise<void>;
  /** Stops all work; it resumes at the next start. */
  close(): Promise<void>;
};

/** Repeated, since the app may run for months. */
const purgeIntervalMs = 86_400_000;

export function createJobs({
  database,
  dataDir,
  events,
  voices,
  launchChild,
  speechLanguages,
  keepRemovedDays,
  ...deps
}: JobsDeps): Jobs {
  const items = createItems(database, {
    dataDir,
    ...(keepRemovedDays === undefined ? {} : { keepRemovedDays }),
    onChange: (item) => events.publish({ type: "item", item }),
    onRemove: (id) => events.publish({ type: "item-removed", id }),
  });
  const documents = createDocuments(database, {
    onChange: (itemId, revision) => events.publish({ type: "document", itemId, revision }),
  });
  const narrations = createNarrations(database);
  const writes = createRetriedWrites({
    log: deps.log,
    onProblem: (trouble) =>
      events.publish({ type: "storage", ...(trouble === undefined ? {} : { trouble }) }),
  });
  const isLocalModel = (model: string): boolean => speaksHere(deps.router, model);
  const people = createPeople(database);
  const vocabulary = createVocabulary(database);
  const transcriptionJobs = createTranscriptionJobs({
    ...deps,
    items,
    documents,
    events,
    writes,
    voices: people.voices,
    vocabulary: vocabulary.list,
    queueStore: createQueueStore(database),
  });
  const { media } = transcriptionJobs;
  const narrationJobs = createNarrationJobs({
    ...deps,
    writes,
    items,
    narrations,
    work: createNarrationWork(database),
    vocabulary,
    events,
    voices,
    isLocalModel,
    spokenLanguages: (model) => (isLocalModel(model) ? new Set(speechLanguages(model)) : undefined),
    speaksOnlyEnglish: (model) =>
      isLocalModel(model) && speechLanguages(model).every((code) => code === "en"),
  });
  const documentImport = createDocumentImport({ launchChild, log: deps.log });
  const trash = createTrashPurge(items, deps);
  let resuming: Promise<void> | undefined;
  let isClosed = false;

  async function resume(): Promise<void> {
    await trash.purge();
    if (isClosed) return;
    trash.purgeDaily();
    await transcriptionJobs.resume();
    await narrationJobs.resume();
  }

  return {
    items,
    documents,
    narrations,
    transcriptionJobs,
    narrationJobs,
    people,
    vocabulary,
    rememberedVoices: createRememberedVoices({ ...deps, items, documents, people, media }),
    recordSentTo: (itemId, channel) =>
      writes.runInBackground(() => items.recordSentTo(itemId, channel)),
    storageProblem: writes.problem,
    documentImport,
    async stopWork(itemId) {
      await (items.read(itemId).kind === "narration"
        ? narrationJobs.cancel(itemId)
        : transcriptionJobs.stopWork(itemId));
    },
    resume: () => (resuming = resume()),
    async close() {
      isClosed = true;
      trash.close();
      // Do not wait for the disk any longer: after a restart, unwritten work continues from the stored state.
      writes.close();
      await Promise.all([
        transcriptionJobs.close(),
        narrationJobs.close(),
        documentImport.close(),
        resuming?.catch(() => {}),
      ]);
    },
  };
}

function speaksHere(router: Router, model: string): boolean {
  try {
    return router.isLocal(model, "text-to-speech");
  } catch {
    // The channel no longer exists. A narration generated by it can still be opened.
    return false;
  }
}

/** Deletes items that were removed long ago. If that fails, it is tried again a day later. */
function createTrashPurge(items: Items, { tasks, log }: Pick<JobsDeps, "tasks" | "log">) {
  let timer: NodeJS.Timeout | undefined;
  const purge = (): Promise<unknown> =>
    items
      .purge(tasks)
      .catch((error: unknown) =>
        log.warn({ err: error }, "expired items in the trash could not be deleted"),
      );
  return {
    purge,
    purgeDaily: (): void =>
      void (timer ??= setInterval(() => void purge(), purgeIntervalMs).unref()),
    close: (): void => clearInterval(timer),
  };
}

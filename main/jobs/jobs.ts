// What the window works on and who works on it: the library's parts, hearing and reading out. Goes on with what was
// left when it is told that the app runs for good; a single command leaves that alone.

import type { Metering } from "../usage/metering.ts";
import type { Router } from "../channels/router.ts";
import type { ModelBundle } from "../contract/speech.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { Database } from "../storage/database.ts";
import { createDocuments, type Documents } from "../library/documents.ts";
import { createItems, type Items } from "../library/items.ts";
import type { AsyncLibraryTasks } from "../library/library-tasks.ts";
import { createNarrationWork } from "../library/narration-work.ts";
import { createNarrations, type Narrations } from "../library/narrations.ts";
import { createPronunciations } from "../library/pronunciations.ts";
import type { Log } from "../log.ts";
import { createRetriedWrites, type RetriedWrites } from "../storage/retried-writes.ts";
import type { Platform } from "../platform.ts";
import type { StudioEvents } from "./events.ts";
import { createDocumentImport, type DocumentImport } from "./document-import/document-import.ts";
import { createNarrating, type Narrating } from "./narration/narrating.ts";
import { createTranscribing, type Transcribing } from "./transcription/transcribing.ts";

export type StudioDeps = {
  database: Database;
  tasks: AsyncLibraryTasks;
  dataDir: string;
  /** For what work in progress needs; exists. */
  tempDir: () => string;
  router: Router;
  pool: Pool;
  metering: Metering;
  events: StudioEvents;
  vad: ModelBundle;
  /** Names of the voices that are known. */
  voices(): readonly string[];
  launchChild: Platform["launchChild"];
  log: Log;
};

export type Studio = {
  readonly items: Items;
  readonly documents: Documents;
  readonly narrations: Narrations;
  readonly transcribing: Transcribing;
  readonly narrating: Narrating;
  /** Keeps who is given an item's sound or text, at the latest when its disk takes it. */
  recordSentTo(itemId: string, channel: string): void;
  /** What the work waits for, where its disk takes nothing. */
  readonly storageProblem: RetriedWrites["problem"];
  readonly documentImport: DocumentImport;
  /** Ends whatever works on an item; resolves when nothing writes to it any more. */
  stopWork(itemId: string): Promise<void>;
  /** Goes on with what the app left when it last ended, and ends for good what was removed long ago. */
  resume(): Promise<void>;
  /** Ends all work; it goes on at the next start. */
  close(): Promise<void>;
};

/** An app may run for months. */
const purgeIntervalMs = 86_400_000;

export function createStudio({
  database,
  dataDir,
  events,
  voices,
  launchChild,
  ...deps
}: StudioDeps): Studio {
  const items = createItems(database, {
    dataDir,
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
  const transcribing = createTranscribing({ ...deps, items, documents, events, writes });
  const narrating = createNarrating({
    ...deps,
    writes,
    items,
    narrations,
    work: createNarrationWork(database),
    pronunciations: createPronunciations(database),
    events,
    voices,
    isLocalModel(model) {
      try {
        return deps.router.isLocal(model, "text-to-speech");
      } catch {
        // Its channel is gone: a narration made by it can be looked at all the same.
        return false;
      }
    },
  });
  const documentImport = createDocumentImport({ launchChild, log: deps.log });
  let purgeTimer: NodeJS.Timeout | undefined;
  let resuming: Promise<void> | undefined;
  let isClosed = false;

  /** What cannot be ended now is tried again a day later. */
  const purge = (): Promise<unknown> =>
    items
      .purge(deps.tasks)
      .catch((error: unknown) =>
        deps.log.warn({ err: error }, "what was removed long ago could not be ended"),
      );

  async function resume(): Promise<void> {
    await purge();
    if (isClosed) return;
    purgeTimer ??= setInterval(() => void purge(), purgeIntervalMs);
    purgeTimer.unref();
    await transcribing.resume();
    await narrating.resume();
  }

  return {
    items,
    documents,
    narrations,
    transcribing,
    narrating,
    recordSentTo: (itemId, channel) =>
      writes.runInBackground(() => items.recordSentTo(itemId, channel)),
    storageProblem: writes.problem,
    documentImport,
    async stopWork(itemId) {
      await (items.read(itemId).kind === "narration"
        ? narrating.cancel(itemId)
        : transcribing.stopWork(itemId));
    },
    resume: () => (resuming = resume()),
    async close() {
      isClosed = true;
      clearInterval(purgeTimer);
      // Nobody waits for a disk any more: what could not be written is found as it was left.
      writes.close();
      await Promise.all([
        transcribing.close(),
        narrating.close(),
        documentImport.close(),
        resuming?.catch(() => {}),
      ]);
    },
  };
}

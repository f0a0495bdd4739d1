// Implements the tasks of library-tasks.ts in the process that calls them.

import { documentChange } from "../../contract/transcript-document.ts";
import { exportTranscript } from "../../transcript/export-transcript.ts";
import { parseJsonObject } from "../../contract/json.ts";
import { parseFields } from "../../contract/validation.ts";
import type { Database } from "../../storage/database.ts";
import { createDocuments, type DocumentsDeps } from "../documents.ts";
import type { LibraryTask, LibraryTasks, AsyncLibraryTasks } from "../library-tasks.ts";
import { createNarrationWork } from "../narration-work.ts";
import { createNarrations } from "../narrations.ts";
import { listSpeakers, readFirstWords } from "../item-overview.ts";
import { createFindReplace } from "../search/find-replace.ts";
import { createSearch } from "../search/search.ts";
import { importStagedItem } from "../archive/staged-item.ts";
import { readNarration } from "../archive/complete-item.ts";
import { AppError } from "../../contract/errors.ts";

/** Called after each change of a transcript. */
export type OnDocument = NonNullable<DocumentsDeps["onChange"]>;

export function createLibraryTasks(database: Database, onDocument: OnDocument): LibraryTasks {
  const documents = createDocuments(database, { onChange: onDocument });
  const narrations = createNarrations(database);
  const work = createNarrationWork(database);
  const { search } = createSearch(database);
  const { replace } = createFindReplace({ database, documents });
  const dropItem = database.sqlite.prepare(
    "DELETE FROM items WHERE id = ? AND deleted_at_ms IS NOT NULL",
  );
  return {
    search,
    replace,
    readFirstWords: (itemIds) => readFirstWords(database, itemIds),
    listSpeakers: () => listSpeakers(database),
    readDocument: (itemId) => Buffer.from(JSON.stringify(documents.read(itemId))),
    changeDocument(itemId, json) {
      const change = parseFields(
        documentChange,
        parseJsonObject(Buffer.from(json.buffer, json.byteOffset, json.length)),
      );
      const reversedSegment = change.put.find(({ startSec, endSec }) => endSec < startSec);
      if (reversedSegment !== undefined)
        throw new AppError(
          "transcript.reversedSegment",
          { segment: reversedSegment.id },
          { param: "put" },
        );
      return documents.apply(itemId, change);
    },
    exportTranscript: (itemId, title, ...options) =>
      exportTranscript(title, documents.read(itemId), ...options),
    readScript: (itemId) => Buffer.from(narrations.read(itemId).script),
    exportNarration(itemId) {
      const narration = readNarration(database.sqlite, itemId);
      if (narration === undefined) throw new AppError("narration.none", {}, { param: "id" });
      return Buffer.from(`${JSON.stringify(narration)}\n`);
    },
    importItem: (fromDir, toDir) => importStagedItem(database, fromDir, toDir),
    changeNarration: narrations.change,
    addWork: work.add,
    dropWork: work.drop,
    checkpoint: database.checkpoint,
    dropItem: (itemId) => void database.change(() => dropItem.run(itemId)),
  };
}

/** For an in-memory library, which no other process can open. */
export function createInProcessTasks(
  database: Database,
  onDocument: OnDocument = () => {},
): AsyncLibraryTasks {
  const tasks = createLibraryTasks(database, onDocument) as Record<
    LibraryTask,
    (...args: unknown[]) => unknown
  >;
  return Object.fromEntries(
    Object.entries(tasks).map(([name, run]) => [name, async (...args: unknown[]) => run(...args)]),
  ) as AsyncLibraryTasks;
}

// /app/items, their transcripts, /app/search, /app/replace, /app/preferences, and the library as files. See jobs/ for
// the work on items.

import { fieldFault } from "../../contract/field-fault.ts";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { transcriptExportOptions, transcriptExports } from "../../contract/transcript-export.ts";
import type { People } from "../../library/people.ts";
import type { PreferenceStore } from "../../library/preferences.ts";
import { retryWhileBusy } from "../../storage/retry-while-busy.ts";
import { type ZipEntry, zipArchive } from "../../library/archive/zip.ts";
import { attachmentHeader, safeFileName } from "../http/attachment.ts";
import { transcriptMimeTypes } from "../../transcript/export-transcript.ts";
import { readJsonBytes } from "../http/request-body.ts";
import { jsonResponse } from "../http/sized-response.ts";
import { streamResponse } from "../http/stream-response.ts";
import { parseFields } from "../../contract/validation.ts";
import { maxBodyBytes } from "./app-routes.ts";
import type { Handlers, RawRoute } from "./handlers.ts";
import { type ArchiveDeps, libraryEntries, transcriptEntries } from "./library-archive.ts";
import type { AppApiRoutes } from "./handlers.ts";
import { parseOptions } from "./options-field.ts";
import { type TranscriptFileDeps, createTranscriptFile } from "./transcript-file.ts";

export type ItemRouteDeps = ArchiveDeps &
  TranscriptFileDeps & {
    preferences: PreferenceStore;
    people: Pick<People, "exportAll">;
    /** Stops the jobs of an item; resolves when nothing writes to it any more. */
    stopWork(id: string): Promise<void>;
  };

type Names =
  | "listItems"
  | "readItem"
  | "changeItem"
  | "changeItems"
  | "removeItems"
  | "restoreItems"
  | "deleteItems"
  | "selectItems"
  | "removeItem"
  | "restoreItem"
  | "cancelItem"
  | "readFirstWords"
  | "listSpeakers"
  | "search"
  | "replace"
  | "readPreferences"
  | "changePreferences";

export function itemRoutes(deps: ItemRouteDeps): AppApiRoutes {
  const selections = createSelections();
  return {
    handlers: itemHandlers(deps, selections),
    rawRoutes: [
      readDocumentRoute(deps),
      changeDocumentRoute(deps),
      exportTranscriptRoute(deps),
      libraryArchiveRoute(deps, selections),
    ],
  };
}

type Selections = {
  save(itemIds: readonly string[]): string;
  get(selection: string): readonly string[] | undefined;
};

/** Recent selections of windows. */
function createSelections(): Selections {
  const storedSelections = new Map<string, readonly string[]>();
  return {
    save(itemIds) {
      const selection = randomUUID();
      storedSelections.set(selection, itemIds);
      for (const [oldest] of storedSelections)
        if (storedSelections.size > maxSelections) storedSelections.delete(oldest);
      return selection;
    },
    get: (selection) => storedSelections.get(selection),
  };
}

const maxSelections = 20;

const toItemPatch = ({
  title,
  tags,
}: {
  title?: string | undefined;
  tags?: string[] | undefined;
}): { title?: string; tags?: string[] } => ({
  ...(title === undefined ? {} : { title }),
  ...(tags === undefined ? {} : { tags: Array.from(new Set(tags)) }),
});

function itemHandlers(
  { items, tasks, preferences, stopWork }: ItemRouteDeps,
  selections: Selections,
): Handlers<Names> {
  return {
    listItems: (filter) => ({ items: items.list(filter), totalBytes: items.totalBytes() }),
    readItem: (_, id) => items.read(id),
    changeItem: (change, id) => items.change(id, toItemPatch(change)),
    changeItems: ({ changes }) => ({
      items: items.changeAll(changes.map(({ id, ...change }) => ({ id, ...toItemPatch(change) }))),
    }),
    async removeItems({ itemIds }) {
      const existingIds = itemIds.filter((id) => items.find(id) !== undefined);
      await Promise.all(existingIds.map(stopWork));
      return { removed: items.removeAll(existingIds) };
    },
    restoreItems: ({ itemIds }) => ({ items: items.restoreAll(itemIds) }),
    deleteItems: async ({ itemIds }) => ({ deleted: await items.deleteRemoved(tasks, itemIds) }),
    selectItems: ({ itemIds }) => ({ selection: selections.save(itemIds) }),
    async removeItem(_, id) {
      items.read(id);
      await stopWork(id);
      return { removed: items.remove(id) };
    },
    restoreItem: (_, id) => items.restore(id),
    async cancelItem(_, id) {
      items.read(id);
      await stopWork(id);
      return items.read(id);
    },
    readFirstWords: async ({ itemIds }) => ({ firstWords: await tasks.readFirstWords(itemIds) }),
    listSpeakers: async () => ({ speakers: await tasks.listSpeakers() }),
    search: async ({ q }) => ({ hits: await tasks.search(q) }),
    replace: (options) => tasks.replace(options),
    readPreferences: () => preferences.read(),
    changePreferences: (patch) => preferences.change(patch),
  };
}

const readDocumentRoute = ({ items, tasks }: ItemRouteDeps): RawRoute => ({
  method: "GET",
  path: "/app/items/:id/document",
  async respond(_, { id = "" }) {
    items.read(id);
    const json = await tasks.readDocument(id);
    return new Response(json, {
      headers: {
        "content-type": "application/json",
        "content-length": String(json.length),
        "cache-control": "no-store",
      },
    });
  },
});

/** A change may contain all segments of a transcript, so it is parsed in another process. */
const changeDocumentRoute = ({ items, tasks }: ItemRouteDeps): RawRoute => ({
  method: "PATCH",
  path: "/app/items/:id/document",
  async respond(request, { id = "" }, { limits }) {
    const json = await readJsonBytes(request, maxBodyBytes, limits);
    items.read(id);
    return jsonResponse(
      {
        revision: await retryWhileBusy(() => tasks.changeDocument(id, json), {
          signal: request.signal,
        }),
      },
      { "cache-control": "no-store" },
    );
  },
});

const exportQuery = z.object({
  format: z.enum(transcriptExports, {
    error: fieldFault("fault.notListed", { values: transcriptExports.join(", ") }),
  }),
  options: z.string().max(10_000).default("{}"),
});

/** One file, or an archive of an HTML file and its recording. */
const exportTranscriptRoute = (deps: ItemRouteDeps): RawRoute => ({
  method: "GET",
  path: "/app/items/:id/export",
  async respond(request, { id = "" }) {
    const { format, options } = parseFields(
      exportQuery,
      Object.fromEntries(new URL(request.url).searchParams),
    );
    const name = safeFileName(deps.items.read(id).title);
    const { entry, bytes, sound } = await createTranscriptFile(
      deps,
      { itemId: id, name },
      format,
      parseOptions(options, transcriptExportOptions),
    );
    if (sound !== undefined) return archiveResponse(listEntries(entry, sound), `${name}.zip`);
    return new Response(bytes, {
      headers: {
        "content-type": transcriptMimeTypes[format],
        "content-length": String(bytes.length),
        "cache-control": "no-store",
        ...attachmentHeader(entry.name),
      },
    });
  },
});

async function* listEntries(...entries: readonly ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}

function archiveResponse(entries: AsyncIterable<ZipEntry>, name: string): Response {
  const archive = zipArchive(entries);
  const source = {
    next: async () => (await archive.next()).value,
    close: () => archive.return(undefined),
  };
  return streamResponse(source, new AbortController(), {
    "content-type": "application/zip",
    ...attachmentHeader(name),
  });
}

const archiveQuery = z.object({
  selection: z.string().optional(),
  format: z.enum(transcriptExports).optional(),
  people: z.stringbool().default(false),
});

const libraryArchiveRoute = (deps: ItemRouteDeps, selections: Selections): RawRoute => ({
  method: "GET",
  path: "/app/library.zip",
  respond(request) {
    const { selection, format, people } = parseFields(
      archiveQuery,
      Object.fromEntries(new URL(request.url).searchParams),
    );
    const itemIds = selection === undefined ? undefined : selections.get(selection);
    if (selection !== undefined && itemIds === undefined)
      throw new AppError("item.selectionUnknown", {}, { param: "selection" });
    const entries =
      format === undefined
        ? libraryEntries(deps, itemIds, people ? deps.people.exportAll() : [])
        : transcriptEntries(deps, itemIds, format);
    return archiveResponse(entries, "Hearsay library.zip");
  },
});

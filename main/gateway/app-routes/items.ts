// /app/items, their transcripts, /app/search, /app/replace, /app/preferences, and the library as files. The work on
// items is the studio's.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { transcriptExports } from '../../contract/studio.ts';
import type { PreferenceStore } from '../../library/preferences.ts';
import type { Replacing } from '../../library/replacing.ts';
import type { Search } from '../../library/search.ts';
import { zipArchive } from '../../library/zip.ts';
import { attachment, fileName } from '../attachment.ts';
import { exportTranscript, transcriptMimeTypes } from '../export-transcript.ts';
import { streamResponse } from '../streams.ts';
import { parseFields } from '../validation.ts';
import type { Handlers, RawRoute } from './app-routes.ts';
import { type ArchiveDeps, libraryEntries, transcriptEntries } from './library-archive.ts';
import type { StudioRoutes } from './studio-routes.ts';

export type ItemRouteDeps = ArchiveDeps & {
  search: Search;
  replacing: Replacing;
  preferences: PreferenceStore;
  /** Ends whatever works on an item; resolves when nothing writes to it any more. */
  stopWork(id: string): Promise<void>;
};

type Names = 'listItems' | 'readItem' | 'changeItem' | 'changeItems' | 'removeItems' | 'restoreItems' | 'selectItems' | 'removeItem' | 'restoreItem' | 'cancelItem' | 'readDocument' | 'changeDocument' | 'search' | 'replace' | 'readPreferences' | 'changePreferences';

export function itemRoutes(deps: ItemRouteDeps): StudioRoutes {
  const selections = createSelections();
  return { handlers: itemHandlers(deps, selections), rawRoutes: [transcriptFile(deps), libraryArchive(deps, selections)] };
}

type Selections = { keep(itemIds: readonly string[]): string; get(selection: string): readonly string[] | undefined };

/** What windows selected lately. */
function createSelections(): Selections {
  const kept = new Map<string, readonly string[]>();
  return {
    keep(itemIds) {
      const selection = randomUUID();
      kept.set(selection, itemIds);
      for (const [oldest] of kept) if (kept.size > mostSelections) kept.delete(oldest);
      return selection;
    },
    get: (selection) => kept.get(selection),
  };
}

const mostSelections = 20;

const patchOf = ({ title, tags }: { title?: string | undefined; tags?: string[] | undefined }): { title?: string; tags?: string[] } => ({ ...(title === undefined ? {} : { title }), ...(tags === undefined ? {} : { tags: Array.from(new Set(tags)) }) });

function itemHandlers({ items, documents, search, replacing, preferences, stopWork }: ItemRouteDeps, selections: Selections): Handlers<Names> {
  return {
    listItems: (filter) => ({ items: items.list(filter), totalBytes: items.totalBytes() }),
    readItem: (_, id) => items.read(id),
    changeItem: (change, id) => items.change(id, patchOf(change)),
    changeItems: ({ changes }) => ({ items: items.changeAll(changes.map(({ id, ...change }) => ({ id, ...patchOf(change) }))) }),
    async removeItems({ itemIds }) {
      const known = itemIds.filter((id) => items.find(id) !== undefined);
      await Promise.all(known.map(stopWork));
      return { removed: items.removeAll(known) };
    },
    restoreItems: ({ itemIds }) => ({ items: items.restoreAll(itemIds) }),
    selectItems: ({ itemIds }) => ({ selection: selections.keep(itemIds) }),
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
    readDocument(_, id) {
      items.read(id);
      return documents.read(id);
    },
    changeDocument(change, id) {
      items.read(id);
      const backwards = change.put.find(({ startSec, endSec }) => endSec < startSec);
      if (backwards !== undefined) throw new AppError('invalid_value', `The segment ${backwards.id} ends before it begins.`, { param: 'put' });
      return { revision: documents.apply(id, change) };
    },
    async search({ q }) {
      await search.prepare();
      return { hits: search.search(q) };
    },
    replace: (asked) => replacing.replace(asked),
    readPreferences: () => preferences.read(),
    changePreferences: (patch) => preferences.change(patch),
  };
}

const exportQuery = z.object({ format: z.enum(transcriptExports, { error: `must be one of ${transcriptExports.join(', ')}` }) });

const transcriptFile = ({ items, documents }: ItemRouteDeps): RawRoute => ({
  method: 'GET',
  path: '/app/items/:id/export',
  async respond(request, { id = '' }) {
    const { format } = parseFields(exportQuery, Object.fromEntries(new URL(request.url).searchParams));
    const { title } = items.read(id);
    const bytes = await exportTranscript(title, documents.read(id), format);
    return new Response(bytes, {
      headers: { 'content-type': transcriptMimeTypes[format], 'content-length': String(bytes.length), 'cache-control': 'no-store', ...attachment(`${fileName(title)}.${format}`) },
    });
  },
});

const archiveQuery = z.object({ selection: z.string().optional(), format: z.enum(transcriptExports).optional() });

const libraryArchive = (deps: ItemRouteDeps, selections: Selections): RawRoute => ({
  method: 'GET',
  path: '/app/library.zip',
  respond(request) {
    const { selection, format } = parseFields(archiveQuery, Object.fromEntries(new URL(request.url).searchParams));
    const itemIds = selection === undefined ? undefined : selections.get(selection);
    if (selection !== undefined && itemIds === undefined) throw new AppError('not_found', 'What was selected is not known any more. Select it again.', { param: 'selection' });
    const archive = zipArchive(format === undefined ? libraryEntries(deps, itemIds) : transcriptEntries(deps, itemIds, format));
    const source = { next: async () => (await archive.next()).value, close: () => archive.return(undefined) };
    return streamResponse(source, new AbortController(), { 'content-type': 'application/zip', ...attachment('Hearsay library.zip') });
  },
});

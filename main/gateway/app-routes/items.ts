// /app/items, their transcripts, /app/search, /app/replace, /app/preferences, and the library as files. The work on
// items is the studio's.

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
import { type ArchiveDeps, libraryEntries } from './library-archive.ts';
import type { StudioRoutes } from './studio-routes.ts';

export type ItemRouteDeps = ArchiveDeps & {
  search: Search;
  replacing: Replacing;
  preferences: PreferenceStore;
  /** Ends whatever works on an item; resolves when nothing writes to it any more. */
  stopWork(id: string): Promise<void>;
};

type Names = 'listItems' | 'readItem' | 'changeItem' | 'removeItem' | 'restoreItem' | 'cancelItem' | 'readDocument' | 'changeDocument' | 'search' | 'replace' | 'readPreferences' | 'changePreferences';

export function itemRoutes(deps: ItemRouteDeps): StudioRoutes {
  return { handlers: itemHandlers(deps), rawRoutes: [transcriptFile(deps), libraryArchive(deps)] };
}

function itemHandlers({ items, documents, search, replacing, preferences, stopWork }: ItemRouteDeps): Handlers<Names> {
  return {
    listItems: (filter) => ({ items: items.list(filter), totalBytes: items.totalBytes() }),
    readItem: (_, id) => items.read(id),
    changeItem: ({ title, tags }, id) => items.change(id, { ...(title === undefined ? {} : { title }), ...(tags === undefined ? {} : { tags: Array.from(new Set(tags)) }) }),
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
    search: ({ q }) => ({ hits: search.search(q) }),
    replace: (asked) => replacing.replace(asked),
    readPreferences: () => preferences.read(),
    changePreferences: (value) => preferences.change(value),
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

const libraryArchive = (deps: ItemRouteDeps): RawRoute => ({
  method: 'GET',
  path: '/app/library.zip',
  respond() {
    const archive = zipArchive(libraryEntries(deps));
    const source = { next: async () => (await archive.next()).value, close: () => archive.return(undefined) };
    return streamResponse(source, new AbortController(), { 'content-type': 'application/zip', ...attachment('Hearsay library.zip') });
  },
});

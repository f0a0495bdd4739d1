// Transcripts that are open, each with its store, kept while other pages are shown: what could be undone still can when
// one comes back. Brings them what the app announces, and sends what is unsaved as the page goes away.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DocumentSegment, StudioEvent } from '../../../../main/contract/studio.ts';
import { call } from '../../../api/client.ts';
import { sendWhenParting } from '../../../api/parting.ts';
import { live } from '../../../stores/live.ts';
import type { Range } from '../../../ui/waveform.tsx';
import { createDocumentStore, type DocumentStore } from '../document/document-store.ts';
import { createHighlights, type Highlights } from './highlights.ts';

export type Panel = 'find' | 'doubts' | 'again' | 'speaker';

/** What is being looked at, beside the text itself. */
export type ViewState = {
  /** The segment the keyboard is on. */
  readonly focusedId: number | undefined;
  /** The list is to put the keyboard focus there. */
  readonly takesFocus: boolean;
  /** To be brought into sight; a new object each time. */
  readonly revealed: { readonly id: number } | undefined;
  /** The segment whose text is open for typing, where the caret goes at first, and which visit it is: an undo takes back one visit. */
  readonly editing: { readonly id: number; readonly offset: number; readonly visit: number } | undefined;
  readonly spokenId: number | undefined;
  readonly range: Range | undefined;
  readonly panel: Panel | undefined;
  /** What the panel `again` is about. */
  readonly again: Range | undefined;
};

export type OpenTranscript = { readonly itemId: string; readonly store: DocumentStore; readonly view: StoreApi<ViewState>; readonly highlights: Highlights };

const mostOpen = 6;
const open = new Map<string, OpenTranscript>();
let isListening = false;

/** The open transcript of an item; opened where it is not. The least recently used saved ones are let go. */
export function openTranscript(itemId: string): OpenTranscript {
  listen();
  const known = open.get(itemId);
  open.delete(itemId);
  const transcript = known ?? {
    itemId,
    store: createDocumentStore({ read: () => call('readDocument', {}, itemId), change: (change) => call('changeDocument', change, itemId) }),
    view: createStore<ViewState>(() => ({ focusedId: undefined, takesFocus: false, revealed: undefined, editing: undefined, spokenId: undefined, range: undefined, panel: undefined, again: undefined })),
    highlights: createHighlights(),
  };
  open.set(itemId, transcript);
  for (const [id, other] of open) {
    if (open.size <= mostOpen) break;
    if (other.store.getState().saving !== 'saved') continue;
    other.store.close();
    open.delete(id);
  }
  return transcript;
}

const stateOf = new Map<string, string>();

function hear(event: StudioEvent): void {
  if (event.type === 'segments') take(event.itemId, event.segments);
  if (event.type === 'document') open.get(event.itemId)?.store.announced(event.revision);
  if (event.type !== 'item') return;
  const { id, state } = event.item;
  // What is true of the whole (failures, language) is known once the work has ended.
  if (stateOf.get(id) !== state) void open.get(id)?.store.load();
  stateOf.set(id, state);
}

function take(itemId: string, segments: readonly DocumentSegment[]): void {
  const store = open.get(itemId)?.store;
  if (store?.getState().phase === 'ready') store.heard(segments);
  else void store?.load();
}

function saveAll(): void {
  for (const { store } of open.values()) void store.save();
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  live().subscribe(hear);
  live().onState((isOpen) => {
    if (isOpen) for (const { store } of open.values()) void store.load();
  });
  addEventListener('visibilitychange', saveAll);
  sendWhenParting(() => [...open.values()].flatMap(({ itemId, store }) => store.unsaved().map((fields) => ({ path: `/app/items/${encodeURIComponent(itemId)}/document`, method: 'PATCH' as const, fields }))), saveAll);
}

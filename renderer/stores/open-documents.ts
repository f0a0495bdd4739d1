// Documents that are open in the window, kept while other pages are shown: what could be undone still can when one
// comes back. Reads them anew after a break of the line, and sends what is unsaved as the page goes away.

import type { StoreApi } from "zustand/vanilla";
import { type UnloadRequest, sendOnUnload } from "../api/unload-requests.ts";
import type { SaveState } from "./autosave.ts";
import { eventStream } from "./event-stream.ts";

export type OpenDocument = {
  readonly itemId: string;
  readonly store: Pick<StoreApi<{ readonly saving: SaveState }>, "getState"> & {
    load(): Promise<void>;
    save(): Promise<void>;
    unsaved(): readonly object[];
    close(): void;
  };
};

export type OpenDocumentsDeps<Opened> = {
  create(itemId: string): Opened;
  /** Called once, as the first one is opened. */
  listen(): void;
  /** How a change reaches the app, below the item's address. */
  changeRequest: { readonly method: "PUT" | "PATCH"; readonly path: string };
  /** It is not let go. */
  isInUse?(itemId: string): boolean;
};

export type OpenDocuments<Opened> = {
  /** Opened where it is not. The least recently used saved ones are let go. */
  open(itemId: string): Opened;
  get(itemId: string): Opened | undefined;
  all(): Iterable<Opened>;
};

const maxOpen = 6;

export function createOpenDocuments<Opened extends OpenDocument>({
  create,
  listen,
  changeRequest,
  isInUse = () => false,
}: OpenDocumentsDeps<Opened>): OpenDocuments<Opened> {
  const opened = new Map<string, Opened>();
  let isListening = false;

  function saveAll(): void {
    for (const { store } of opened.values()) void store.save();
  }

  function unsaved(): UnloadRequest[] {
    return [...opened.values()].flatMap(({ itemId, store }) => {
      const path = `/app/items/${encodeURIComponent(itemId)}/${changeRequest.path}`;
      return store.unsaved().map((fields) => ({ path, method: changeRequest.method, fields }));
    });
  }

  function startListening(): void {
    isListening = true;
    listen();
    eventStream().onState((isOpen) => {
      if (isOpen) for (const { store } of opened.values()) void store.load();
    });
    addEventListener("visibilitychange", saveAll);
    sendOnUnload(unsaved, saveAll);
  }

  return {
    open(itemId) {
      if (!isListening) startListening();
      const document = opened.get(itemId) ?? create(itemId);
      opened.delete(itemId);
      opened.set(itemId, document);
      for (const [id, { store }] of opened) {
        if (opened.size <= maxOpen) break;
        if (id === itemId || store.getState().saving !== "saved" || isInUse(id)) continue;
        store.close();
        opened.delete(id);
      }
      return document;
    },
    get: (itemId) => opened.get(itemId),
    all: () => opened.values(),
  };
}

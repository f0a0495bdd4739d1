// Keeps documents open while other pages are shown, so that their undo stacks survive. Reloads them after a connection
// loss, and sends unsaved changes when the page closes; in a conflict, asks the user to stay.

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
  /** Called once, when the first document is opened. */
  listen(): void;
  /** Request for a change, relative to the item's address. */
  changeRequest: { readonly method: "PUT" | "PATCH"; readonly path: string };
  /** Documents in use are not closed. */
  isInUse?(itemId: string): boolean;
};

export type OpenDocuments<Opened> = {
  /** Opens the document if necessary. Closes the least recently used ones that are saved. */
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
    addEventListener("beforeunload", (event) => {
      const isConflicting = [...opened.values()].some(
        ({ store }) => store.getState().saving === "conflict",
      );
      if (isConflicting) event.preventDefault();
    });
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

// Transcripts that are open, each with its store and what is being looked at. Brings them what the app announces.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { DocumentSegment, StudioEvent } from "../../../../main/contract/studio.ts";
import { call } from "../../../api/client.ts";
import { live } from "../../../stores/live.ts";
import { createOpenDocuments } from "../../../stores/open-documents.ts";
import { usePlayer } from "../../../stores/player.ts";
import type { Range } from "../../../ui/waveform.tsx";
import { createDocumentStore, type DocumentStore } from "../document/document-store.ts";
import { segmentAt } from "../document/place.ts";
import { createHighlights, type Highlights } from "./highlights.ts";

export type Panel = "find" | "doubts" | "again" | "speaker";

/** What is being looked at, beside the text itself. */
export type ViewState = {
  /** The segment the keyboard is on. */
  readonly focusedId: number | undefined;
  /** The list is to put the keyboard focus there. */
  readonly takesFocus: boolean;
  /** To be brought into sight; a new object each time. */
  readonly revealed: { readonly id: number } | undefined;
  /** The segment whose text is open for typing, what is selected at first (nothing: where the caret goes), and which visit it is: an undo takes back one visit. */
  readonly editing:
    | {
        readonly id: number;
        readonly offset: number;
        readonly endOffset: number;
        readonly visit: number;
      }
    | undefined;
  /** Where the caret was last in a text open for typing, or the beginning of the word that was clicked since. */
  readonly caret: { readonly id: number; readonly offset: number } | undefined;
  readonly spokenId: number | undefined;
  readonly range: Range | undefined;
  readonly panel: Panel | undefined;
  /** Whom the panel `speaker` asks about: it stays there wherever the keyboard goes. */
  readonly speakerFor: number | undefined;
  /** What the panel `again` is about. */
  readonly again: Range | undefined;
};

export type OpenTranscript = {
  readonly itemId: string;
  readonly store: DocumentStore;
  readonly view: StoreApi<ViewState>;
  readonly highlights: Highlights;
};

export const transcripts = createOpenDocuments<OpenTranscript>({
  create(itemId) {
    const store = createDocumentStore({
      read: () => call("readDocument", {}, itemId),
      change: (change) => call("changeDocument", change, itemId),
    });
    store.subscribe(nameSpeaker);
    return {
      itemId,
      store,
      view: createStore<ViewState>(() => ({
        focusedId: undefined,
        takesFocus: false,
        revealed: undefined,
        editing: undefined,
        caret: undefined,
        spokenId: undefined,
        range: undefined,
        panel: undefined,
        speakerFor: undefined,
        again: undefined,
      })),
      highlights: createHighlights(),
    };
  },
  listen() {
    live().subscribe(hear);
    usePlayer.subscribe(nameSpeaker);
  },
  change: { method: "PATCH", path: "document" },
  isInUse: (itemId) => usePlayer.getState().source?.id === itemId,
});

/** Who speaks at the player's moment, for its bar: also while other pages are shown. */
function nameSpeaker(): void {
  const { source, positionSec } = usePlayer.getState();
  const segments = transcripts.get(source?.id ?? "")?.store.getState().segments;
  if (source === undefined || segments === undefined) return;
  const speaker = segments[Math.max(0, segmentAt(segments, positionSec))]?.speaker;
  if (speaker !== source.speaker) usePlayer.setState({ source: { ...source, speaker } });
}

const stateOf = new Map<string, string>();

function hear(event: StudioEvent): void {
  if (event.type === "segments") take(event.itemId, event.segments);
  if (event.type === "document") transcripts.get(event.itemId)?.store.announced(event.revision);
  if (event.type !== "item") return;
  const { id, state } = event.item;
  // What is true of the whole (failures, language) is known once the work has ended.
  if (stateOf.get(id) !== state) void transcripts.get(id)?.store.load();
  stateOf.set(id, state);
}

function take(itemId: string, segments: readonly DocumentSegment[]): void {
  const store = transcripts.get(itemId)?.store;
  if (store?.getState().phase === "ready") store.heard(segments);
  else void store?.load();
}

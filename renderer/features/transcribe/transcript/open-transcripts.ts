// Open transcripts, each with its store and view state. Applies the app's events to them.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { AppEvent } from "../../../../main/contract/app-event.ts";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { call } from "../../../api/client.ts";
import { eventStream } from "../../../stores/event-stream.ts";
import { createOpenDocuments } from "../../../stores/open-documents.ts";
import { usePlayer } from "../../../stores/player.ts";
import type { TimeRange } from "../../../ui/time-view.ts";
import { createDocumentStore, type DocumentStore } from "../document/document-store.ts";
import { segmentIndexAt } from "../document/segment-at-time.ts";
import { removeDrafts, showDraft } from "./drafts.ts";
import { createHighlights, type Highlights } from "./highlights.ts";

export type Panel =
  | "find"
  | "lowConfidence"
  | "retranscribe"
  | "speaker"
  | "findSpeakers"
  | "export";

/** State of the view, apart from the text itself. */
export type ViewState = {
  /** The segment with the keyboard focus. */
  readonly focusedId: number | undefined;
  /** Whether the list should move the focus there. */
  readonly shouldFocus: boolean;
  /** Segment to scroll to; a new object each time. */
  readonly scrollTarget: { readonly id: number } | undefined;
  /**
   * The segment being edited, its initial selection (empty: the caret), and a number for this visit: one undo takes
   * back one visit.
   */
  readonly editing:
    | {
        readonly id: number;
        readonly offset: number;
        readonly endOffset: number;
        readonly editSession: number;
      }
    | undefined;
  /** The last caret in an edited text, or the start of the word that was clicked since. */
  readonly caret: { readonly id: number; readonly offset: number } | undefined;
  readonly playingSegmentId: number | undefined;
  readonly range: TimeRange | undefined;
  /** When the text is spoken that is selected in the list, as for copying. */
  readonly textRange: TimeRange | undefined;
  /** The part that the waveform shows; undefined: all. */
  readonly zoomedRange: TimeRange | undefined;
  readonly panel: Panel | undefined;
  /** The segment that the panel `speaker` is about; it stays when the focus moves. */
  readonly speakerSegmentId: number | undefined;
  /** The range that the panel `again` is about. */
  readonly retranscribeRange: TimeRange | undefined;
  /** The model that the panel starts with at once; otherwise the person chooses one. */
  readonly retranscribeModel: string | undefined;
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
    store.subscribe(updatePlayerSpeaker);
    return {
      itemId,
      store,
      view: createStore<ViewState>(() => ({
        focusedId: undefined,
        shouldFocus: false,
        scrollTarget: undefined,
        editing: undefined,
        caret: undefined,
        playingSegmentId: undefined,
        range: undefined,
        textRange: undefined,
        zoomedRange: undefined,
        panel: undefined,
        speakerSegmentId: undefined,
        retranscribeRange: undefined,
        retranscribeModel: undefined,
      })),
      highlights: createHighlights(),
    };
  },
  listen() {
    eventStream().subscribe(onEvent);
    usePlayer.subscribe(updatePlayerSpeaker);
  },
  changeRequest: { method: "PATCH", path: "document" },
  isInUse: (itemId) => usePlayer.getState().source?.id === itemId,
});

/** Speaker at the player's position, for the player bar: also while other pages are shown. */
function updatePlayerSpeaker(): void {
  const { source, positionSec } = usePlayer.getState();
  const segments = transcripts.get(source?.id ?? "")?.store.getState().segments;
  if (source === undefined || segments === undefined) return;
  const speaker = segments[Math.max(0, segmentIndexAt(segments, positionSec))]?.speaker;
  if (speaker !== source.speaker) usePlayer.setState({ source: { ...source, speaker } });
}

const lastStates = new Map<string, string>();

function onEvent(event: AppEvent): void {
  if (event.type === "draft") showDraft(event);
  if (event.type === "segments") addSegments(event.itemId, event.segments);
  if (event.type === "document") transcripts.get(event.itemId)?.store.onRevision(event.revision);
  if (event.type !== "item") return;
  const { id, state } = event.item;
  if (state !== "recording") removeDrafts(id);
  // Properties of the whole transcript (failures, language) are known only when the work has ended.
  if (lastStates.get(id) !== state) void transcripts.get(id)?.store.load();
  lastStates.set(id, state);
}

function addSegments(itemId: string, segments: readonly DocumentSegment[]): void {
  const store = transcripts.get(itemId)?.store;
  if (store?.getState().phase === "ready") store.addTranscribed(segments);
  else void store?.load();
}

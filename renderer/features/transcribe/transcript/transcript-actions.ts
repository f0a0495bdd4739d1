// Actions on an open transcript, for mouse, keys and palette; each is one undo step.

import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { t } from "../../../messages/messages.ts";
import { play, seek } from "../../../stores/player.ts";
import type { TimeRange } from "../../../ui/time-view.ts";
import { segmentIndexAt } from "../document/segment-at-time.ts";
import {
  replaceWithTranscription,
  editText,
  writeAsRecognized,
  merge,
  newSegmentId,
  removeSegments,
  split,
  expandToSegments,
} from "../document/edits.ts";
import type { OpenTranscript, Panel } from "./open-transcripts.ts";
import { createSpeakerActions, type SpeakerActions } from "./speaker-actions.ts";

export type TranscriptActions = SpeakerActions & {
  focus(id: number | undefined): void;
  /** Scrolls to a segment without moving the focus. */
  reveal(id: number): void;
  /** Moves the focus by that many segments; infinite values go to the first or last. */
  move(count: number): void;
  /** Edits a segment's text with the caret at `offset`, or the text up to `endOffset` selected. */
  edit(id: number, offset?: number, endOffset?: number): void;
  updateText(id: number, text: string): void;
  /** Takes back what the vocabulary changed. */
  writeAsRecognized(id: number, wordIndex: number): void;
  /** Ends editing; a segment without text is removed. */
  finishEditing(): void;
  split(id: number, offset: number): void;
  mergeWithNext(id: number): void;
  mergeWithPrevious(id: number): void;
  remove(id: number): void;
  seek(sec: number): void;
  playFrom(sec: number): void;
  setRange(range: TimeRange | undefined): void;
  /** Opens a panel; undefined closes it. */
  showPanel(panel: Panel | undefined): void;
  /** Closes the panel and focuses the segment it was about. */
  closePanel(id: number | undefined): void;
  /** Opens the speaker panel for a segment. */
  openSpeakerPanel(id: number): void;
  /** @param model starts with it at once */
  retranscribe(range: TimeRange, model?: string): void;
  accept(range: TimeRange, transcribed: readonly DocumentSegment[]): void;
};

type EditingActions = Pick<
  TranscriptActions,
  | "edit"
  | "updateText"
  | "writeAsRecognized"
  | "finishEditing"
  | "split"
  | "mergeWithNext"
  | "mergeWithPrevious"
  | "remove"
>;

export function createTranscriptActions(
  open: OpenTranscript,
  loadInPlayer: () => void,
): TranscriptActions {
  const { store, view } = open;
  const { currentSegments, indexOf, focus } = createSegmentAccess(open);
  const actions: TranscriptActions = {
    ...createEditingActions(open),
    ...createSpeakerActions(open, loadInPlayer),
    focus: (id) => focus(id, false),
    reveal: (id) => view.setState({ focusedId: id, shouldFocus: false, scrollTarget: { id } }),
    move(count) {
      const last = currentSegments().length - 1;
      const next =
        currentSegments()[Math.max(0, Math.min(last, indexOf(view.getState().focusedId) + count))];
      focus(next?.id);
    },
    seek(sec) {
      loadInPlayer();
      seek(sec);
    },
    playFrom(sec) {
      actions.seek(sec);
      void play();
    },
    setRange: (range) => view.setState({ range }),
    showPanel: (panel) => view.setState({ panel }),
    closePanel: (id) =>
      view.setState({
        panel: undefined,
        ...(id === undefined ? {} : { focusedId: id, shouldFocus: true }),
      }),
    openSpeakerPanel: (id) =>
      view.setState({ focusedId: id, shouldFocus: false, panel: "speaker", speakerSegmentId: id }),
    retranscribe: (range, model) =>
      view.setState({
        panel: "retranscribe",
        retranscribeModel: model,
        retranscribeRange: expandToSegments(currentSegments(), range.fromSec, range.toSec),
      }),
    accept(range, transcribed) {
      store.edit(
        t("transcribe.undo.retranscribe"),
        replaceWithTranscription(currentSegments(), range, transcribed),
      );
      view.setState({ retranscribeRange: undefined, range: undefined });
      // Slightly after the range's start, where the previous segment may end.
      actions.closePanel(
        currentSegments()[segmentIndexAt(currentSegments(), range.fromSec + 0.01)]?.id,
      );
    },
  };
  return actions;
}

/** Changes of texts and of where segments begin and end. */
function createEditingActions(open: OpenTranscript): EditingActions {
  const { store, view } = open;
  const { currentSegments, indexOf, focus } = createSegmentAccess(open);
  let editSessionCount = 0;

  function mergeTwo(first: DocumentSegment | undefined, second: DocumentSegment | undefined): void {
    if (first === undefined || second === undefined) return;
    const { editing } = view.getState();
    store.edit(t("transcribe.undo.merge"), merge(first, second));
    focus(first.id);
    // Keeps the caret where the two texts were joined.
    if (editing !== undefined)
      actions.edit(
        first.id,
        editing.id === first.id ? first.text.length : first.text.trim().length + 1,
      );
  }

  const actions: EditingActions = {
    edit(id, offset = 0, endOffset = offset) {
      editSessionCount += 1;
      view.setState({
        focusedId: id,
        editing: { id, offset, endOffset, editSession: editSessionCount },
      });
    },
    updateText(id, text) {
      const segment = currentSegments()[indexOf(id)];
      const editSession = view.getState().editing?.editSession;
      if (segment !== undefined)
        store.edit(t("transcribe.undo.edit"), editText(segment, text), {
          mergeKey: `edit ${id} ${editSession}`,
        });
    },
    writeAsRecognized(id, wordIndex) {
      const segment = currentSegments()[indexOf(id)];
      if (segment !== undefined)
        store.edit(t("transcribe.undo.as-recognized"), writeAsRecognized(segment, wordIndex));
    },
    finishEditing() {
      const { editing } = view.getState();
      if (editing === undefined) return;
      view.setState({ editing: undefined });
      const segment = currentSegments()[indexOf(editing.id)];
      if (segment?.text.trim() === "")
        store.edit(t("transcribe.undo.remove"), removeSegments([segment]));
    },
    split(id, offset) {
      const segment = currentSegments()[indexOf(id)];
      const second = newSegmentId();
      const patch = segment === undefined ? undefined : split(segment, offset, second);
      if (patch === undefined) return;
      store.edit(t("transcribe.undo.split"), patch);
      actions.edit(second, 0);
    },
    mergeWithNext: (id) =>
      mergeTwo(currentSegments()[indexOf(id)], currentSegments()[indexOf(id) + 1]),
    mergeWithPrevious: (id) =>
      mergeTwo(currentSegments()[indexOf(id) - 1], currentSegments()[indexOf(id)]),
    remove(id) {
      const index = indexOf(id);
      const segment = currentSegments()[index];
      if (segment === undefined) return;
      const next = currentSegments()[index + 1] ?? currentSegments()[index - 1];
      store.edit(t("transcribe.undo.remove"), removeSegments([segment]));
      focus(next?.id);
    },
  };
  return actions;
}

function createSegmentAccess({ store, view }: OpenTranscript) {
  const currentSegments = (): readonly DocumentSegment[] => store.getState().segments;
  return {
    currentSegments,
    indexOf: (id: number | undefined): number =>
      currentSegments().findIndex((segment) => segment.id === id),
    focus: (id: number | undefined, shouldFocus = true): void =>
      view.setState({ focusedId: id, shouldFocus }),
  };
}

// What can be done to an open transcript, by mouse, keys and palette alike: each is one step back.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { t } from "../../../messages/messages.ts";
import { play, seek } from "../../../stores/player.ts";
import type { TimeRange } from "../../../ui/waveform.tsx";
import { segmentIndexAt } from "../document/segment-at-time.ts";
import {
  replaceWithTranscription,
  editText,
  merge,
  newSegmentId,
  removeSegments,
  split,
  expandToSegments,
} from "../document/edits.ts";
import type { OpenTranscript, Panel } from "./open-transcripts.ts";

export type TranscriptActions = {
  focus(id: number | undefined): void;
  /** Brings a segment into sight; the keyboard stays where it is. */
  reveal(id: number): void;
  /** To the segment so many places further, or the first or last one. */
  move(count: number): void;
  /** Opens a segment's text for typing, the caret at an offset, or what lies between two selected. */
  edit(id: number, offset?: number, endOffset?: number): void;
  updateText(id: number, text: string): void;
  /** Done with typing; what is left without text is removed. */
  finishEditing(): void;
  split(id: number, offset: number): void;
  mergeWithNext(id: number): void;
  mergeWithPrevious(id: number): void;
  remove(id: number): void;
  seek(sec: number): void;
  playFrom(sec: number): void;
  setRange(range: TimeRange | undefined): void;
  /** Opens a panel, or closes the one that is open. */
  showPanel(panel: Panel | undefined): void;
  /** Closes the panel; the keyboard goes to the segment it was about. */
  closePanel(id: number | undefined): void;
  /** Opens the panel that asks who speaks there. */
  openSpeakerPanel(id: number): void;
  retranscribe(range: TimeRange): void;
  accept(range: TimeRange, transcribed: readonly DocumentSegment[]): void;
};

export function createTranscriptActions(
  { store, view }: OpenTranscript,
  loadInPlayer: () => void,
): TranscriptActions {
  let editSessionCount = 0;
  const currentSegments = (): readonly DocumentSegment[] => store.getState().segments;
  const indexOf = (id: number | undefined): number =>
    currentSegments().findIndex((segment) => segment.id === id);
  const focus = (id: number | undefined, shouldFocus = true): void =>
    view.setState({ focusedId: id, shouldFocus });

  function mergeTwo(first: DocumentSegment | undefined, second: DocumentSegment | undefined): void {
    if (first === undefined || second === undefined) return;
    const { editing } = view.getState();
    store.edit(t("transcribe.undo.merge"), merge(first, second));
    focus(first.id);
    // The caret stays between what was apart.
    if (editing !== undefined)
      actions.edit(
        first.id,
        editing.id === first.id ? first.text.length : first.text.trim().length + 1,
      );
  }

  const actions: TranscriptActions = {
    focus: (id) => focus(id, false),
    reveal: (id) => view.setState({ focusedId: id, shouldFocus: false, scrollTarget: { id } }),
    move(count) {
      const last = currentSegments().length - 1;
      const next =
        currentSegments()[Math.max(0, Math.min(last, indexOf(view.getState().focusedId) + count))];
      focus(next?.id);
    },
    edit(id, offset = 0, endOffset = offset) {
      editSessionCount += 1;
      view.setState({
        focusedId: id,
        editing: { id, offset, endOffset, editSession: editSessionCount },
      });
    },
    updateText(id, text) {
      const segment = currentSegments()[indexOf(id)];
      const visit = view.getState().editing?.editSession;
      if (segment !== undefined)
        store.edit(t("transcribe.undo.edit"), editText(segment, text), `edit ${id} ${visit}`);
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
    retranscribe: (range) =>
      view.setState({
        panel: "again",
        retranscribeRange: expandToSegments(currentSegments(), range.fromSec, range.toSec),
      }),
    accept(range, transcribed) {
      store.edit(
        t("transcribe.undo.again"),
        replaceWithTranscription(currentSegments(), range, transcribed),
      );
      view.setState({ retranscribeRange: undefined, range: undefined });
      // A moment after its beginning: the one before may end there.
      actions.closePanel(
        currentSegments()[segmentIndexAt(currentSegments(), range.fromSec + 0.01)]?.id,
      );
    },
  };
  return actions;
}

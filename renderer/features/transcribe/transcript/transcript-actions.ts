// What can be done to an open transcript, by mouse, keys and palette alike: each is one step back.

import type { DocumentSegment } from "../../../../main/contract/studio.ts";
import { t } from "../../../messages/messages.ts";
import { play, seek } from "../../../stores/player.ts";
import type { Range } from "../../../ui/waveform.tsx";
import { segmentAt } from "../document/place.ts";
import {
  acceptHearing,
  editText,
  merge,
  newSegmentId,
  removeSegments,
  split,
  wholeSegments,
} from "../document/edits.ts";
import type { OpenTranscript, Panel } from "./open-transcripts.ts";

export type TranscriptActions = {
  focus(id: number | undefined): void;
  /** Brings a segment into sight; the keyboard stays where it is. */
  reveal(id: number): void;
  /** To the segment so many places further, or the first or last one. */
  move(by: number): void;
  /** Opens a segment's text for typing, the caret at an offset, or what lies between two selected. */
  edit(id: number, offset?: number, endOffset?: number): void;
  type(id: number, text: string): void;
  /** Done with typing; what is left without text is removed. */
  finish(): void;
  split(id: number, offset: number): void;
  mergeWithNext(id: number): void;
  mergeWithPrevious(id: number): void;
  remove(id: number): void;
  seek(sec: number): void;
  playFrom(sec: number): void;
  setRange(range: Range | undefined): void;
  /** Opens a panel, or closes the one that is open. */
  show(panel: Panel | undefined): void;
  /** Closes the panel; the keyboard goes to the segment it was about. */
  leave(id: number | undefined): void;
  /** Opens the panel that asks who speaks there. */
  nameSpeaker(id: number): void;
  hearAgain(range: Range): void;
  accept(range: Range, heard: readonly DocumentSegment[]): void;
};

export function transcriptActions(
  { store, view }: OpenTranscript,
  ensurePlayer: () => void,
): TranscriptActions {
  let visits = 0;
  const all = (): readonly DocumentSegment[] => store.getState().segments;
  const indexOf = (id: number | undefined): number =>
    all().findIndex((segment) => segment.id === id);
  const focus = (id: number | undefined, takesFocus = true): void =>
    view.setState({ focusedId: id, takesFocus });

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
    reveal: (id) => view.setState({ focusedId: id, takesFocus: false, revealed: { id } }),
    move(by) {
      const last = all().length - 1;
      const next = all()[Math.max(0, Math.min(last, indexOf(view.getState().focusedId) + by))];
      focus(next?.id);
    },
    edit(id, offset = 0, endOffset = offset) {
      visits += 1;
      view.setState({ focusedId: id, editing: { id, offset, endOffset, visit: visits } });
    },
    type(id, text) {
      const segment = all()[indexOf(id)];
      const visit = view.getState().editing?.visit;
      if (segment !== undefined)
        store.edit(t("transcribe.undo.edit"), editText(segment, text), `edit ${id} ${visit}`);
    },
    finish() {
      const { editing } = view.getState();
      if (editing === undefined) return;
      view.setState({ editing: undefined });
      const segment = all()[indexOf(editing.id)];
      if (segment?.text.trim() === "")
        store.edit(t("transcribe.undo.remove"), removeSegments([segment]));
    },
    split(id, offset) {
      const segment = all()[indexOf(id)];
      const second = newSegmentId();
      const patch = segment === undefined ? undefined : split(segment, offset, second);
      if (patch === undefined) return;
      store.edit(t("transcribe.undo.split"), patch);
      actions.edit(second, 0);
    },
    mergeWithNext: (id) => mergeTwo(all()[indexOf(id)], all()[indexOf(id) + 1]),
    mergeWithPrevious: (id) => mergeTwo(all()[indexOf(id) - 1], all()[indexOf(id)]),
    remove(id) {
      const index = indexOf(id);
      const segment = all()[index];
      if (segment === undefined) return;
      const next = all()[index + 1] ?? all()[index - 1];
      store.edit(t("transcribe.undo.remove"), removeSegments([segment]));
      focus(next?.id);
    },
    seek(sec) {
      ensurePlayer();
      seek(sec);
    },
    playFrom(sec) {
      actions.seek(sec);
      void play();
    },
    setRange: (range) => view.setState({ range }),
    show: (panel) => view.setState({ panel }),
    leave: (id) =>
      view.setState({
        panel: undefined,
        ...(id === undefined ? {} : { focusedId: id, takesFocus: true }),
      }),
    nameSpeaker: (id) =>
      view.setState({ focusedId: id, takesFocus: false, panel: "speaker", speakerFor: id }),
    hearAgain: (range) =>
      view.setState({ panel: "again", again: wholeSegments(all(), range.fromSec, range.toSec) }),
    accept(range, heard) {
      store.edit(t("transcribe.undo.again"), acceptHearing(all(), range, heard));
      view.setState({ again: undefined, range: undefined });
      // A moment after its beginning: the one before may end there.
      actions.leave(all()[segmentAt(all(), range.fromSec + 0.01)]?.id);
    },
  };
  return actions;
}

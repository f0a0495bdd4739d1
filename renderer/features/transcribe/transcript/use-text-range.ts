// Follows the selection of text in the list, as a range of time.

import { useEffect, type RefObject } from "react";
import type { TimeRange } from "../../../ui/time-view.ts";
import { timeRangeOfText } from "../document/segments.ts";
import { textRangeIn } from "./caret.ts";
import { useTranscript } from "./use-transcript.ts";

export function useTextRange(list: RefObject<HTMLElement | null>): void {
  const { store, view } = useTranscript().open;
  useEffect(() => {
    function update(): void {
      const selection = getSelection();
      if (list.current === null || selection === null || isTakenAway(list.current, selection))
        return;
      const { segments } = store.getState();
      const ranges = selectedTexts(list.current, selection).flatMap(({ index, start, end }) => {
        const segment = segments[index];
        return (segment && timeRangeOfText(segment, start, end)) ?? [];
      });
      view.setState({ textRange: joinRanges(ranges) });
    }
    document.addEventListener("selectionchange", update);
    return () => {
      document.removeEventListener("selectionchange", update);
      view.setState({ textRange: undefined });
    };
  }, [list, store, view]);
}

/** A field that gets the focus, or a row that leaves the list, ends the selection without being asked to. */
function isTakenAway(list: HTMLElement, { isCollapsed, anchorNode }: Selection): boolean {
  if (document.activeElement?.matches("input, textarea") === true) return true;
  const anchor = anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement;
  return isCollapsed && list.contains(anchor ?? null) && anchor?.closest(".segment-text") === null;
}

/** Selected parts of rows that are not being edited. */
function selectedTexts(list: HTMLElement, selection: Selection) {
  const range = selection.isCollapsed ? undefined : selection.getRangeAt(0);
  if (range === undefined) return [];
  return [...list.querySelectorAll<HTMLElement>("p.segment-text")]
    .filter((element) => range.intersectsNode(element))
    .map((element) => ({
      index: Number(element.closest<HTMLElement>("[data-row]")?.dataset.row),
      ...textRangeIn(element, range),
    }));
}

const joinRanges = (ranges: readonly TimeRange[]): TimeRange | undefined =>
  ranges.length === 0
    ? undefined
    : {
        fromSec: Math.min(...ranges.map(({ fromSec }) => fromSec)),
        toSec: Math.max(...ranges.map(({ toSec }) => toSec)),
      };

// The part of the recording that the waveform and the strips below it show. It follows the position.

import { useCallback, useEffect, useRef } from "react";
import { followPosition, isWhole, wholeRange, type TimeRange } from "../../../ui/time-view.ts";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

export type TimeView = {
  readonly durationSec: number;
  readonly view: TimeRange;
  readonly isZoomed: boolean;
  readonly setView: (view: TimeRange) => void;
};

export function useTimeView(): TimeView {
  const { item, open } = useTranscript();
  const documentDurationSec = useDocument((state) => state.document?.durationSec);
  const zoomed = useView((state) => state.zoomedRange);
  const durationSec = item.durationSec || documentDurationSec || 0;
  const setView = useCallback(
    (view: TimeRange) =>
      open.view.setState({ zoomedRange: isWhole(view, durationSec) ? undefined : view }),
    [open, durationSec],
  );
  return {
    durationSec,
    view: zoomed ?? wholeRange(durationSec),
    isZoomed: zoomed !== undefined,
    setView,
  };
}

/** Scrolls when playback leaves what is shown, and to where somebody seeks. */
export function useFollowPosition({ durationSec, view, setView }: TimeView, positionSec: number) {
  const previousSec = useRef(positionSec);
  useEffect(() => {
    if (positionSec === previousSec.current) return;
    const next = followPosition(view, durationSec, previousSec.current, positionSec);
    previousSec.current = positionSec;
    if (next !== view) setView(next);
  }, [positionSec, durationSec, view, setView]);
}

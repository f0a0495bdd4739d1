// Mouse, wheel and keys of a waveform: seeking, selecting a range, zooming and scrolling.

import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { applyWheel, isWhole, scroll, spanSec, type TimeRange } from "./time-view.ts";

/** Converts between seconds and places on the waveform, which shows the range `view`. */
export type TimeAxis = ReturnType<typeof createTimeAxis>;

export const createTimeAxis = (durationSec: number, view: TimeRange) => ({
  durationSec,
  view,
  /** 0 to 1 of the width; beyond that while dragging outside. */
  shareAtPointer({ currentTarget, clientX }: PointerEvent): number {
    const box = currentTarget.getBoundingClientRect();
    return (clientX - box.left) / box.width || 0;
  },
  secAt: (share: number): number => view.fromSec + Math.min(1, Math.max(0, share)) * spanSec(view),
  percent: (sec: number): string =>
    `${((sec - view.fromSec) / Math.max(spanSec(view), 0.001)) * 100}%`,
  clampSec: (sec: number): number => Math.min(durationSec, Math.max(0, sec)),
});

type Seeking = {
  timeAxis: TimeAxis;
  range: TimeRange | undefined;
  onSeek: (sec: number) => void;
  onRangeChange: ((range: TimeRange | undefined) => void) | undefined;
};
type Viewing = { onViewChange: ((view: TimeRange) => void) | undefined };

/** Shorter drags count as clicks. */
const minDragPx = 4;

/** A click seeks; a drag selects a range, or seeks if there are no ranges; beyond the edges it scrolls. */
export function usePointer({
  timeAxis,
  range,
  onSeek,
  onRangeChange,
  onViewChange,
  onHover,
}: Seeking & Viewing & { onHover: (share: number | undefined) => void }) {
  const start = useRef<{ x: number; sec: number; isDrag: boolean }>(undefined);
  const secAtPointer = (event: PointerEvent): number =>
    timeAxis.secAt(timeAxis.shareAtPointer(event));

  /** Where a drag has come to. */
  function dragTo(share: number): number {
    const { view, durationSec } = timeAxis;
    const beyond = Math.min(0, share) + Math.max(0, share - 1);
    if (beyond === 0 || onViewChange === undefined || isWhole(view, durationSec))
      return timeAxis.secAt(share);
    const scrolled = scroll(view, durationSec, beyond * spanSec(view));
    onViewChange(scrolled);
    return beyond < 0 ? scrolled.fromSec : scrolled.toSec;
  }

  return {
    /** Goes on with a drag that began elsewhere; `sec` is the end of the range that stays. */
    dragFrom: (sec: number): void => void (start.current = { x: 0, sec, isDrag: true }),
    handlers: {
      onPointerDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, sec: secAtPointer(event), isDrag: false };
      },
      onPointerMove(event: PointerEvent): void {
        const share = timeAxis.shareAtPointer(event);
        onHover(Math.min(1, Math.max(0, share)));
        const from = start.current;
        if (from === undefined) return;
        if (Math.abs(event.clientX - from.x) >= minDragPx) from.isDrag = true;
        if (!from.isDrag) return;
        const sec = dragTo(share);
        if (onRangeChange)
          onRangeChange({ fromSec: Math.min(from.sec, sec), toSec: Math.max(from.sec, sec) });
        else onSeek(sec);
      },
      onPointerUp(event: PointerEvent): void {
        const from = start.current;
        start.current = undefined;
        if (from === undefined || from.isDrag) return;
        if (range !== undefined) onRangeChange?.(undefined);
        onSeek(secAtPointer(event));
      },
      onPointerCancel: (): void => void (start.current = undefined),
      onPointerLeave: (): void => onHover(undefined),
    },
  };
}

/** Ctrl or Command with the wheel zooms, the wheel alone scrolls what is zoomed. */
export function useWheel(
  element: RefObject<HTMLElement | null>,
  { durationSec, view }: TimeAxis,
  onViewChange: ((view: TimeRange) => void) | undefined,
): void {
  const onWheel = (event: WheelEvent): void => {
    const target = element.current;
    const isZoom = event.ctrlKey || event.metaKey;
    if (target === null || (!isZoom && isWhole(view, durationSec))) return;
    event.preventDefault();
    const { left, width } = target.getBoundingClientRect();
    const sec = view.fromSec + ((event.clientX - left) / width) * spanSec(view);
    onViewChange?.(applyWheel(view, durationSec, event, { sec, widthPx: width }));
  };
  const latest = useRef(onWheel);
  useEffect(() => {
    latest.current = onWheel;
  });
  const isEnabled = onViewChange !== undefined;
  useEffect(() => {
    const target = element.current;
    if (target === null || !isEnabled) return undefined;
    const listener = (event: WheelEvent): void => latest.current(event);
    // React's listeners are passive, so they cannot prevent the browser's own zoom.
    target.addEventListener("wheel", listener, { passive: false });
    return () => target.removeEventListener("wheel", listener);
  }, [element, isEnabled]);
}

/** A page key seeks by what is shown, but not by more than this share of a recording. */
const maxPageShare = 0.1;

/** Arrow keys seek, page keys farther; with Shift they select a range from the current position. */
export function handleSeekKeys(
  event: KeyboardEvent,
  {
    timeAxis,
    stepSec,
    positionSec,
    range,
    onSeek,
    onRangeChange,
  }: Seeking & { stepSec: number; positionSec: number },
): void {
  const { durationSec, view, clampSec } = timeAxis;
  const pageSec = Math.min(spanSec(view), durationSec * maxPageShare);
  const offsetSec = {
    ArrowLeft: -stepSec,
    ArrowRight: stepSec,
    PageDown: -pageSec,
    PageUp: pageSec,
  }[event.key];
  const to =
    offsetSec === undefined ? { Home: 0, End: durationSec }[event.key] : positionSec + offsetSec;
  if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.shiftKey || onRangeChange === undefined) return onSeek(clampSec(to));
  const now = range ?? { fromSec: positionSec, toSec: positionSec };
  const isBack = offsetSec === undefined ? to === 0 : offsetSec < 0;
  onRangeChange(
    isBack
      ? { ...now, fromSec: clampSec(offsetSec === undefined ? 0 : now.fromSec + offsetSec) }
      : {
          ...now,
          toSec: clampSec(offsetSec === undefined ? durationSec : now.toSec + offsetSec),
        },
  );
}

// The part of a recording that a waveform shows: zooming, scrolling, following playback. Pure.

export type TimeRange = { readonly fromSec: number; readonly toSec: number };

/** Peaks have 100 values a second: more zoom would show steps. */
const minSpanSec = 5;
/** One press of a zoom button or key. */
export const zoomStep = 2;
/** Share of the view before the position that is brought into it, as in a book with a line of context. */
const leadShare = 0.1;
/** Playback reports its position more often; a larger step is a jump. */
const minJumpSec = 1;

export const wholeRange = (durationSec: number): TimeRange => ({ fromSec: 0, toSec: durationSec });
export const spanSec = ({ fromSec, toSec }: TimeRange): number => toSec - fromSec;
export const isWhole = (view: TimeRange, durationSec: number): boolean =>
  spanSec(view) >= durationSec;

/** Rounding aside, nothing is left to zoom in. */
export const isClosest = (view: TimeRange, durationSec: number): boolean =>
  spanSec(view) < Math.min(minSpanSec, durationSec) + 0.001;

/** A view of that span from that time, moved and shortened so that it is within the recording. */
function fit(fromSec: number, wantedSpanSec: number, durationSec: number): TimeRange {
  const span = Math.min(durationSec, Math.max(minSpanSec, wantedSpanSec));
  const from = Math.min(durationSec - span, Math.max(0, fromSec));
  return { fromSec: from, toSec: from + span };
}

/** `factor` above 1 shows less; `atSec` stays at its place on the screen, as far as the recording's ends permit. */
export function zoom(
  view: TimeRange,
  durationSec: number,
  factor: number,
  atSec: number,
): TimeRange {
  const at = Math.min(view.toSec, Math.max(view.fromSec, atSec));
  const span = Math.min(durationSec, Math.max(minSpanSec, spanSec(view) / factor));
  const share = (at - view.fromSec) / Math.max(spanSec(view), Number.EPSILON);
  return fit(at - share * span, span, durationSec);
}

export const scroll = (view: TimeRange, durationSec: number, bySec: number): TimeRange =>
  fit(view.fromSec + bySec, spanSec(view), durationSec);

/** A range with some of what surrounds it. */
export function zoomToRange(range: TimeRange, durationSec: number): TimeRange {
  const marginSec = Math.max((minSpanSec - spanSec(range)) / 2, spanSec(range) * leadShare);
  return fit(range.fromSec - marginSec, spanSec(range) + 2 * marginSec, durationSec);
}

export const isInRange = ({ fromSec, toSec }: TimeRange, sec: number): boolean =>
  sec >= fromSec && sec <= toSec;

/** Scrolls to a time, unless it is shown already. */
export const show = (view: TimeRange, durationSec: number, sec: number): TimeRange =>
  isInRange(view, sec) ? view : fit(sec - leadShare * spanSec(view), spanSec(view), durationSec);

/**
 * The view after the position has moved: turns a page when playback leaves it, and shows where a jump goes to. Whoever
 * has scrolled away from the position stays there until then.
 */
export function followPosition(
  view: TimeRange,
  durationSec: number,
  previousSec: number,
  positionSec: number,
): TimeRange {
  const isJump = Math.abs(positionSec - previousSec) >= minJumpSec;
  return isJump || isInRange(view, previousSec) ? show(view, durationSec, positionSec) : view;
}

type Wheel = Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode" | "ctrlKey" | "metaKey">;

/** Wheels of some browsers count lines. */
const pxPerLine = 40;
/** A notch of a mouse wheel; pinching on a touchpad sends many small steps. */
const maxWheelOctaves = 0.5;
const wheelOctavesPerPx = 0.01;

/** With Ctrl or Command the wheel zooms at the pointer, otherwise it scrolls. */
export function applyWheel(
  view: TimeRange,
  durationSec: number,
  wheel: Wheel,
  pointer: { sec: number; widthPx: number },
): TimeRange {
  const scale = wheel.deltaMode === 1 ? pxPerLine : 1;
  if (wheel.ctrlKey || wheel.metaKey) {
    const octaves = -wheel.deltaY * scale * wheelOctavesPerPx;
    const limited = Math.min(maxWheelOctaves, Math.max(-maxWheelOctaves, octaves));
    return zoom(view, durationSec, 2 ** limited, pointer.sec);
  }
  const px = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY) ? wheel.deltaX : wheel.deltaY;
  return scroll(view, durationSec, ((px * scale) / pointer.widthPx) * spanSec(view));
}

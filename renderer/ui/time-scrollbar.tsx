// Which part of a recording is shown: dragging the thumb scrolls, and so do the arrow keys; a click shows what is
// there.

import "./time-scrollbar.css";
import { useRef, type KeyboardEvent, type PointerEvent } from "react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { scroll, spanSec, type TimeRange } from "./time-view.ts";

type TimeScrollbarProps = {
  label: string;
  durationSec: number;
  view: TimeRange;
  onChange: (view: TimeRange) => void;
};

/** Of what is shown, for an arrow key. */
const arrowShare = 0.25;

export function TimeScrollbar({ label, durationSec, view, onChange }: TimeScrollbarProps) {
  /** Where the thumb was grabbed, in seconds after its start. */
  const grabbedSec = useRef<number>(undefined);
  const span = spanSec(view);
  const moveTo = (fromSec: number): void =>
    onChange(scroll(view, durationSec, fromSec - view.fromSec));
  const secAtPointer = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return ((clientX - left) / width) * durationSec;
  };
  function onKeyDown(event: KeyboardEvent): void {
    const to = {
      ArrowLeft: view.fromSec - span * arrowShare,
      ArrowRight: view.fromSec + span * arrowShare,
      PageDown: view.fromSec - span,
      PageUp: view.fromSec + span,
      Home: 0,
      End: durationSec,
    }[event.key];
    if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(to);
  }
  return (
    <div
      className="time-scrollbar"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(durationSec - span)}
      aria-valuenow={Math.round(view.fromSec)}
      aria-valuetext={t("frame.wave.shown", {
        from: formatTime(view.fromSec),
        to: formatTime(view.toSec),
      })}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const offsetSec = secAtPointer(event) - view.fromSec;
        const isOnThumb = offsetSec >= 0 && offsetSec <= span;
        grabbedSec.current = isOnThumb ? offsetSec : span / 2;
        if (!isOnThumb) moveTo(secAtPointer(event) - span / 2);
      }}
      onPointerMove={(event) => {
        if (grabbedSec.current !== undefined) moveTo(secAtPointer(event) - grabbedSec.current);
      }}
      onLostPointerCapture={() => void (grabbedSec.current = undefined)}
    >
      <span
        className="time-scrollbar-thumb"
        style={{
          "--from": `${(view.fromSec / durationSec) * 100}%`,
          "--span": `${(span / durationSec) * 100}%`,
        }}
      />
    </div>
  );
}

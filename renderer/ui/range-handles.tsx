// Both ends of a range that is selected on a waveform, as sliders.

import { t } from "../messages/messages.ts";
import { isInRange, show, type TimeRange } from "./time-view.ts";
import { timeSliderProps } from "./time-slider.ts";
import type { TimeAxis } from "./waveform-input.ts";

type RangeHandlesProps = {
  range: TimeRange;
  timeAxis: TimeAxis;
  onChange: (range: TimeRange) => void;
  onViewChange: ((view: TimeRange) => void) | undefined;
  /** The pointer grabbed a handle; the other end of the range is at `sec`. */
  onDrag: (sec: number) => void;
};

const fineStepSec = 0.1;

export function RangeHandles({
  range,
  timeAxis,
  onChange,
  onViewChange,
  onDrag,
}: RangeHandlesProps) {
  const shared = { timeAxis, onViewChange };
  return (
    <>
      <RangeHandle
        {...shared}
        label={t("frame.wave.from")}
        sec={range.fromSec}
        onMove={(sec) =>
          onChange({
            fromSec: timeAxis.clampSec(Math.min(sec, range.toSec - fineStepSec)),
            toSec: range.toSec,
          })
        }
        onDrag={() => onDrag(range.toSec)}
      />
      <RangeHandle
        {...shared}
        label={t("frame.wave.to")}
        sec={range.toSec}
        onMove={(sec) =>
          onChange({
            fromSec: range.fromSec,
            toSec: timeAxis.clampSec(Math.max(sec, range.fromSec + fineStepSec)),
          })
        }
        onDrag={() => onDrag(range.fromSec)}
      />
    </>
  );
}

type RangeHandleProps = Pick<RangeHandlesProps, "timeAxis" | "onViewChange"> & {
  label: string;
  sec: number;
  onMove: (sec: number) => void;
  /** The pointer grabbed the handle; the waveform handles the rest of the drag. */
  onDrag: () => void;
};

/** One end of the selected range, movable by arrow keys (larger steps with Shift) and dragging. */
function RangeHandle({ timeAxis, onViewChange, label, sec, onMove, onDrag }: RangeHandleProps) {
  const { durationSec, view } = timeAxis;
  const isShown = isInRange(view, sec);
  const scrollTo = (shownSec: number): void =>
    onViewChange?.(show(view, durationSec, timeAxis.clampSec(shownSec)));
  return (
    <div
      className="waveform-handle"
      // It keeps the focus while it is outside of what is shown.
      data-outside={!isShown || undefined}
      style={{ "--at": isShown ? timeAxis.percent(sec) : "0%" }}
      {...timeSliderProps(label, sec, durationSec)}
      onFocus={() => scrollTo(sec)}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.parentElement?.setPointerCapture(event.pointerId);
        onDrag();
      }}
      onKeyDown={(event) => {
        const step = event.shiftKey ? 1 : fineStepSec;
        const to = { ArrowLeft: sec - step, ArrowRight: sec + step, Home: 0, End: durationSec }[
          event.key
        ];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        onMove(to);
        scrollTo(to);
      }}
    />
  );
}

// Waveform: played part in accent colour, time on hover, click to seek, drag or Shift with arrow keys to select a range
// (optional). Drawn on a canvas from peaks.

import "./waveform.css";
import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { useWaveformCanvas } from "./use-waveform-canvas.ts";

export type TimeRange = { readonly fromSec: number; readonly toSec: number };

type WaveformProps = {
  /** For screen readers: what the audio is. */
  label: string;
  peaks: Uint8Array | undefined;
  durationSec: number;
  positionSec: number;
  onSeek: (sec: number) => void;
  /** The selected range; with `onRangeChange` a drag selects one and a click clears it. */
  range?: TimeRange | undefined;
  onRangeChange?: ((range: TimeRange | undefined) => void) | undefined;
  /** Times in seconds that get a small mark at the lower edge. */
  markers?: readonly number[];
  /** Additional text for a time: the word spoken there. */
  hoverText?: (sec: number) => string | undefined;
};

/** Shorter drags count as clicks. */
const minDragPx = 4;
const smallStepSec = 5;
const fineStepSec = 0.1;

export function Waveform({
  label,
  peaks,
  durationSec,
  positionSec,
  onSeek,
  range,
  onRangeChange,
  markers,
  hoverText,
}: WaveformProps) {
  const [hoverSec, setHoverSec] = useState<number>();
  const canvas = useWaveformCanvas({ peaks, durationSec, positionSec, markers });
  const timeAxis = createTimeAxis(durationSec);
  const pointer = usePointer({ timeAxis, range, onSeek, onRangeChange, onHover: setHoverSec });
  const hint = hoverSec === undefined ? undefined : hoverText?.(hoverSec);
  return (
    <div className="waveform" {...pointer.handlers}>
      {range !== undefined && (
        <span
          className="waveform-range"
          style={{
            "--from": timeAxis.percent(range.fromSec),
            "--to": timeAxis.percent(durationSec - range.toSec),
          }}
        />
      )}
      <div
        className="waveform-slider"
        {...sliderProps(label, positionSec, durationSec)}
        aria-keyshortcuts={onRangeChange && "Shift+ArrowRight Shift+ArrowLeft"}
        onKeyDown={(event) =>
          handleArrowKeys(event, { timeAxis, positionSec, range, onSeek, onRangeChange })
        }
      >
        <canvas ref={canvas} className="waveform-canvas" aria-hidden />
      </div>
      {range !== undefined && onRangeChange !== undefined && (
        <RangeHandles
          range={range}
          timeAxis={timeAxis}
          onChange={onRangeChange}
          onDrag={pointer.dragFrom}
        />
      )}
      {hoverSec !== undefined && (
        <span className="waveform-hover" style={{ "--at": timeAxis.percent(hoverSec) }}>
          {formatTime(hoverSec)}
          {hint !== undefined && ` ${hint}`}
        </span>
      )}
    </div>
  );
}

/** Converts between seconds and places on the waveform. */
type TimeAxis = ReturnType<typeof createTimeAxis>;

const createTimeAxis = (durationSec: number) => ({
  durationSec,
  secAtPointer(event: PointerEvent): number {
    const box = event.currentTarget.getBoundingClientRect();
    return (Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) || 0) * durationSec;
  },
  percent: (sec: number): string => `${(sec / Math.max(durationSec, 0.001)) * 100}%`,
  clampSec: (sec: number): number => Math.min(durationSec, Math.max(0, sec)),
});

/** A click seeks; a drag selects a range, or seeks if there are no ranges. */
function usePointer({
  timeAxis,
  range,
  onSeek,
  onRangeChange,
  onHover,
}: Pick<WaveformProps, "range" | "onSeek" | "onRangeChange"> & {
  timeAxis: TimeAxis;
  onHover: (sec: number | undefined) => void;
}) {
  const start = useRef<{ x: number; sec: number; isDrag: boolean }>(undefined);
  return {
    /** Goes on with a drag that began elsewhere; `sec` is the end of the range that stays. */
    dragFrom: (sec: number): void => void (start.current = { x: 0, sec, isDrag: true }),
    handlers: {
      onPointerDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, sec: timeAxis.secAtPointer(event), isDrag: false };
      },
      onPointerMove(event: PointerEvent): void {
        const sec = timeAxis.secAtPointer(event);
        onHover(sec);
        const from = start.current;
        if (from === undefined) return;
        if (Math.abs(event.clientX - from.x) >= minDragPx) from.isDrag = true;
        if (!from.isDrag) return;
        if (onRangeChange)
          onRangeChange({ fromSec: Math.min(from.sec, sec), toSec: Math.max(from.sec, sec) });
        else onSeek(sec);
      },
      onPointerUp(event: PointerEvent): void {
        const from = start.current;
        start.current = undefined;
        if (from === undefined || from.isDrag) return;
        if (range !== undefined) onRangeChange?.(undefined);
        onSeek(timeAxis.secAtPointer(event));
      },
      onPointerCancel: (): void => void (start.current = undefined),
      onPointerLeave: (): void => onHover(undefined),
    },
  };
}

/** Arrow keys seek; with Shift they select a range from the current position. */
function handleArrowKeys(
  event: KeyboardEvent,
  {
    timeAxis,
    positionSec,
    range,
    onSeek,
    onRangeChange,
  }: Pick<WaveformProps, "positionSec" | "range" | "onSeek" | "onRangeChange"> & {
    timeAxis: TimeAxis;
  },
): void {
  const { durationSec, clampSec } = timeAxis;
  const offsetSec = { ArrowLeft: -smallStepSec, ArrowRight: smallStepSec }[event.key];
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

/** Both ends of the selected range. */
function RangeHandles({
  range,
  timeAxis,
  onChange,
  onDrag,
}: {
  range: TimeRange;
  timeAxis: TimeAxis;
  onChange: (range: TimeRange) => void;
  /** The pointer grabbed a handle; the other end of the range is at `sec`. */
  onDrag: (sec: number) => void;
}) {
  return (
    <>
      <RangeHandle
        label={t("shell.wave.from")}
        sec={range.fromSec}
        durationSec={timeAxis.durationSec}
        at={timeAxis.percent(range.fromSec)}
        onMove={(sec) =>
          onChange({
            fromSec: timeAxis.clampSec(Math.min(sec, range.toSec - fineStepSec)),
            toSec: range.toSec,
          })
        }
        onDrag={() => onDrag(range.toSec)}
      />
      <RangeHandle
        label={t("shell.wave.to")}
        sec={range.toSec}
        durationSec={timeAxis.durationSec}
        at={timeAxis.percent(range.toSec)}
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

/** A position in the audio as a slider, for screen readers and the Tab key. */
const sliderProps = (label: string, sec: number, durationSec: number) =>
  ({
    role: "slider",
    tabIndex: 0,
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": Math.round(durationSec),
    "aria-valuenow": Math.round(sec),
    "aria-valuetext": formatTime(sec),
  }) as const;

type RangeHandleProps = {
  label: string;
  sec: number;
  durationSec: number;
  at: string;
  onMove: (sec: number) => void;
  /** The pointer grabbed the handle; the waveform handles the rest of the drag. */
  onDrag: () => void;
};

/** One end of the selected range, movable by arrow keys (larger steps with Shift) and dragging. */
function RangeHandle({ label, sec, durationSec, at, onMove, onDrag }: RangeHandleProps) {
  return (
    <div
      className="waveform-handle"
      style={{ "--at": at }}
      {...sliderProps(label, sec, durationSec)}
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
      }}
    />
  );
}

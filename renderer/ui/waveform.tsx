// Waveform: played part in accent colour, time on hover, click to seek, drag or Shift with arrow keys to select a range
// (if wanted). Drawn on a canvas from peaks.

import "./waveform.css";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { drawWaveform } from "./draw-waveform.ts";
import { useThemeChange } from "./theme-change.ts";
import { waveformColumns, waveformGain } from "./waveform-columns.ts";

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
  onRangeChange?: (range: TimeRange | undefined) => void;
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
  const canvas = useRef<HTMLCanvasElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [hoverSec, setHoverSec] = useState<number>();
  const pointerStart = useRef<{ x: number; sec: number; isDrag: boolean }>(undefined);
  const pixelRatio = devicePixelRatio;
  // Draws again when colours change.
  useThemeChange();
  const columns = useMemo(
    () =>
      waveformColumns(
        peaks ?? new Uint8Array(),
        0,
        durationSec,
        Math.max(1, Math.round(width * pixelRatio)),
      ),
    [peaks, durationSec, width, pixelRatio],
  );
  const gain = useMemo(() => waveformGain(peaks ?? new Uint8Array()), [peaks]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current !== null)
      drawWaveform(
        canvas.current,
        columns,
        gain,
        durationSec > 0 ? positionSec / durationSec : 0,
        markers?.map((sec) => sec / durationSec) ?? [],
      );
  });

  const secAtPointer = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return (Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) || 0) * durationSec;
  };
  const percent = (sec: number) => `${(sec / Math.max(durationSec, 0.001)) * 100}%`;
  const hint = hoverSec === undefined ? undefined : hoverText?.(hoverSec);
  const clampSec = (sec: number): number => Math.min(durationSec, Math.max(0, sec));

  /** Arrow keys seek; with Shift they select a range from the current position. */
  function onKeyDown(event: KeyboardEvent): void {
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

  return (
    <div
      className="waveform"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pointerStart.current = { x: event.clientX, sec: secAtPointer(event), isDrag: false };
      }}
      onPointerMove={(event) => {
        const sec = secAtPointer(event);
        setHoverSec(sec);
        const start = pointerStart.current;
        if (start === undefined) return;
        if (Math.abs(event.clientX - start.x) >= minDragPx) start.isDrag = true;
        if (!start.isDrag) return;
        if (onRangeChange)
          onRangeChange({ fromSec: Math.min(start.sec, sec), toSec: Math.max(start.sec, sec) });
        else onSeek(sec);
      }}
      onPointerUp={(event) => {
        const start = pointerStart.current;
        pointerStart.current = undefined;
        if (start === undefined || start.isDrag) return;
        if (range !== undefined) onRangeChange?.(undefined);
        onSeek(secAtPointer(event));
      }}
      onPointerCancel={() => (pointerStart.current = undefined)}
      onPointerLeave={() => setHoverSec(undefined)}
    >
      {range !== undefined && (
        <span
          className="waveform-range"
          style={{ "--from": percent(range.fromSec), "--to": percent(durationSec - range.toSec) }}
        />
      )}
      <div
        ref={slider}
        className="waveform-slider"
        {...sliderProps(label, positionSec, durationSec)}
        aria-keyshortcuts={onRangeChange && "Shift+ArrowRight Shift+ArrowLeft"}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} className="waveform-canvas" aria-hidden />
      </div>
      {range !== undefined && onRangeChange !== undefined && (
        <>
          <RangeHandle
            label={t("shell.wave.from")}
            sec={range.fromSec}
            durationSec={durationSec}
            at={percent(range.fromSec)}
            onMove={(sec) =>
              onRangeChange({
                fromSec: clampSec(Math.min(sec, range.toSec - fineStepSec)),
                toSec: range.toSec,
              })
            }
            onDrag={() => (pointerStart.current = { x: 0, sec: range.toSec, isDrag: true })}
          />
          <RangeHandle
            label={t("shell.wave.to")}
            sec={range.toSec}
            durationSec={durationSec}
            at={percent(range.toSec)}
            onMove={(sec) =>
              onRangeChange({
                fromSec: range.fromSec,
                toSec: clampSec(Math.max(sec, range.fromSec + fineStepSec)),
              })
            }
            onDrag={() => (pointerStart.current = { x: 0, sec: range.fromSec, isDrag: true })}
          />
        </>
      )}
      {hoverSec !== undefined && (
        <span className="waveform-hover" style={{ "--at": percent(hoverSec) }}>
          {formatTime(hoverSec)}
          {hint !== undefined && ` ${hint}`}
        </span>
      )}
    </div>
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
  /** The pointer grabbed the handle; the waveform handles the rest of the drag. */ onDrag: () => void;
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

// The picture of a sound: played part in accent, hover shows the time, a click seeks, a drag chooses a range where one
// is wanted, as do the arrow keys with shift. Drawn on a canvas from peaks at the screen's own density.

import "./waveform.css";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { drawWave } from "./draw-wave.ts";
import { useThemeChange } from "./theme-change.ts";
import { waveColumns, waveGain } from "./wave-columns.ts";

export type Range = { readonly fromSec: number; readonly toSec: number };

type WaveformProps = {
  /** For screen readers: what sound it is. */
  label: string;
  peaks: Uint8Array | undefined;
  durationSec: number;
  positionSec: number;
  onSeek: (sec: number) => void;
  /** A chosen part; where `onRange` is given, a drag chooses one and a click lets it go. */
  range?: Range | undefined;
  onRange?: (range: Range | undefined) => void;
  /** Places worth a look, in seconds: small marks at the lower edge. */
  markers?: readonly number[];
  /** More to say of a moment: the word spoken there. */
  hoverText?: (sec: number) => string | undefined;
};

/** Shorter drags are clicks of an unsteady hand, in pixels. */
const minDrag = 4;
const smallStepSec = 5;
const fineStepSec = 0.1;

export function Waveform({
  label,
  peaks,
  durationSec,
  positionSec,
  onSeek,
  range,
  onRange,
  markers,
  hoverText,
}: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [hover, setHover] = useState<number>();
  const pressed = useRef<{ x: number; sec: number; isDrag: boolean }>(undefined);
  const scale = devicePixelRatio;
  // Drawn again when colours change.
  useThemeChange();
  const columns = useMemo(
    () =>
      waveColumns(
        peaks ?? new Uint8Array(),
        0,
        durationSec,
        Math.max(1, Math.round(width * scale)),
      ),
    [peaks, durationSec, width, scale],
  );
  const gain = useMemo(() => waveGain(peaks ?? new Uint8Array()), [peaks]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current !== null)
      drawWave(
        canvas.current,
        columns,
        gain,
        durationSec > 0 ? positionSec / durationSec : 0,
        markers?.map((sec) => sec / durationSec) ?? [],
      );
  });

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return (Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) || 0) * durationSec;
  };
  const percent = (sec: number) => `${(sec / Math.max(durationSec, 0.001)) * 100}%`;
  const hint = hover === undefined ? undefined : hoverText?.(hover);
  const within = (sec: number): number => Math.min(durationSec, Math.max(0, sec));

  /** With shift the arrow keys choose a part, from where it is; without they seek. */
  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowLeft: -smallStepSec, ArrowRight: smallStepSec }[event.key];
    const to = by === undefined ? { Home: 0, End: durationSec }[event.key] : positionSec + by;
    if (to === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.shiftKey || onRange === undefined) return onSeek(within(to));
    const now = range ?? { fromSec: positionSec, toSec: positionSec };
    const isBack = by === undefined ? to === 0 : by < 0;
    onRange(
      isBack
        ? { ...now, fromSec: within(by === undefined ? 0 : now.fromSec + by) }
        : { ...now, toSec: within(by === undefined ? durationSec : now.toSec + by) },
    );
  }

  return (
    <div
      className="waveform"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pressed.current = { x: event.clientX, sec: place(event), isDrag: false };
      }}
      onPointerMove={(event) => {
        const sec = place(event);
        setHover(sec);
        const start = pressed.current;
        if (start === undefined) return;
        if (Math.abs(event.clientX - start.x) >= minDrag) start.isDrag = true;
        if (!start.isDrag) return;
        if (onRange)
          onRange({ fromSec: Math.min(start.sec, sec), toSec: Math.max(start.sec, sec) });
        else onSeek(sec);
      }}
      onPointerUp={(event) => {
        const start = pressed.current;
        pressed.current = undefined;
        if (start === undefined || start.isDrag) return;
        if (range !== undefined) onRange?.(undefined);
        onSeek(place(event));
      }}
      onPointerCancel={() => (pressed.current = undefined)}
      onPointerLeave={() => setHover(undefined)}
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
        {...asSlider(label, positionSec, durationSec)}
        aria-keyshortcuts={onRange && "Shift+ArrowRight Shift+ArrowLeft"}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} className="waveform-canvas" aria-hidden />
      </div>
      {range !== undefined && onRange !== undefined && (
        <>
          <RangeHandle
            label={t("shell.wave.from")}
            sec={range.fromSec}
            durationSec={durationSec}
            at={percent(range.fromSec)}
            onMove={(sec) =>
              onRange({
                fromSec: within(Math.min(sec, range.toSec - fineStepSec)),
                toSec: range.toSec,
              })
            }
            onDrag={() => (pressed.current = { x: 0, sec: range.toSec, isDrag: true })}
          />
          <RangeHandle
            label={t("shell.wave.to")}
            sec={range.toSec}
            durationSec={durationSec}
            at={percent(range.toSec)}
            onMove={(sec) =>
              onRange({
                fromSec: range.fromSec,
                toSec: within(Math.max(sec, range.fromSec + fineStepSec)),
              })
            }
            onDrag={() => (pressed.current = { x: 0, sec: range.fromSec, isDrag: true })}
          />
        </>
      )}
      {hover !== undefined && (
        <span className="waveform-hover" style={{ "--at": percent(hover) }}>
          {formatTime(hover)}
          {hint !== undefined && ` ${hint}`}
        </span>
      )}
    </div>
  );
}

/** A place in the sound, as screen readers and the Tab key know it. */
const asSlider = (label: string, sec: number, durationSec: number) =>
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
  /** The pointer took it: the waveform itself follows from there. */ onDrag: () => void;
};

/** One end of a chosen part, for arrow keys (with shift in larger steps) and for dragging. */
function RangeHandle({ label, sec, durationSec, at, onMove, onDrag }: RangeHandleProps) {
  return (
    <div
      className="waveform-handle"
      style={{ "--at": at }}
      {...asSlider(label, sec, durationSec)}
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

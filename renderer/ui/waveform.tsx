// Waveform: played part in accent colour, time on hover, click to seek, drag or Shift with arrow keys to select a range
// (optional). Drawn on a canvas from peaks.

import "./waveform.css";
import { useRef, useState } from "react";
import { formatTime } from "../messages/format.ts";
import { RangeHandles } from "./range-handles.tsx";
import { timeSliderProps } from "./time-slider.ts";
import { wholeRange, type TimeRange } from "./time-view.ts";
import { useWaveformCanvas } from "./use-waveform-canvas.ts";
import { createTimeAxis, handleSeekKeys, usePointer, useWheel } from "./waveform-input.ts";

type WaveformProps = {
  /** For screen readers: what the audio is. */
  label: string;
  peaks: Uint8Array | undefined;
  durationSec: number;
  positionSec: number;
  onSeek: (sec: number) => void;
  /** Arrow keys seek by this. */
  stepSec: number;
  /** What is shown; default: all. With `onViewChange` the wheel zooms and scrolls. */
  view?: TimeRange;
  onViewChange?: (view: TimeRange) => void;
  /** The selected range; with `onRangeChange` a drag selects one and a click clears it. */
  range?: TimeRange | undefined;
  onRangeChange?: (range: TimeRange | undefined) => void;
  /** Times in seconds that get a small mark at the lower edge. */
  markers?: readonly number[];
  /** Additional text for a time: the word spoken there. */
  hoverText?: (sec: number) => string | undefined;
};

export function Waveform({
  label,
  peaks,
  durationSec,
  positionSec,
  onSeek,
  stepSec,
  view = wholeRange(durationSec),
  onViewChange,
  range,
  onRangeChange,
  markers,
  hoverText,
}: WaveformProps) {
  /** 0 to 1 of what is shown. */
  const [hoverShare, setHoverShare] = useState<number>();
  const element = useRef<HTMLDivElement>(null);
  const canvas = useWaveformCanvas({ peaks, view, positionSec, markers });
  const timeAxis = createTimeAxis(durationSec, view);
  const seeking = { timeAxis, range, onSeek, onRangeChange };
  const pointer = usePointer({ ...seeking, onViewChange, onHover: setHoverShare });
  useWheel(element, timeAxis, onViewChange);
  const hoverSec = hoverShare === undefined ? undefined : timeAxis.secAt(hoverShare);
  const hint = hoverSec === undefined ? undefined : hoverText?.(hoverSec);
  return (
    <div ref={element} className="waveform" {...pointer.handlers}>
      <div
        className="waveform-slider"
        {...timeSliderProps(label, positionSec, durationSec)}
        aria-keyshortcuts={onRangeChange && "Shift+ArrowRight Shift+ArrowLeft"}
        onKeyDown={(event) => handleSeekKeys(event, { ...seeking, stepSec, positionSec })}
      >
        <canvas ref={canvas} className="waveform-canvas" aria-hidden />
        {range !== undefined && (
          <span
            className="waveform-range"
            style={{
              "--from": timeAxis.percent(range.fromSec),
              "--to": timeAxis.percent(view.fromSec + view.toSec - range.toSec),
            }}
          />
        )}
      </div>
      {range !== undefined && onRangeChange !== undefined && (
        <RangeHandles
          range={range}
          timeAxis={timeAxis}
          onChange={onRangeChange}
          onViewChange={onViewChange}
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

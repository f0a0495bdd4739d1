// Draws the waveform again whenever its size, colours or contents change.

import { useEffect, useMemo, useRef, useState } from "react";
import { drawWaveform } from "./draw-waveform.ts";
import { useThemeChange } from "./theme-change.ts";
import type { TimeRange } from "./time-view.ts";
import { waveformColumns, waveformGain } from "./waveform-columns.ts";

/** @returns the ref of the canvas, on which the peaks are drawn in its width */
export function useWaveformCanvas({
  peaks,
  view: { fromSec, toSec },
  positionSec,
  markers,
}: {
  peaks: Uint8Array | undefined;
  /** What is shown. */
  view: TimeRange;
  positionSec: number;
  /** Times in seconds that get a small mark at the lower edge. */
  markers: readonly number[] | undefined;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const pixelRatio = devicePixelRatio;
  // Draws again when colours change.
  useThemeChange();
  const columns = useMemo(
    () =>
      waveformColumns(
        peaks ?? new Uint8Array(),
        fromSec,
        toSec,
        Math.max(1, Math.round(width * pixelRatio)),
      ),
    [peaks, fromSec, toSec, width, pixelRatio],
  );
  const gain = useMemo(() => waveformGain(peaks ?? new Uint8Array()), [peaks]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const shareOf = (sec: number): number =>
    toSec > fromSec ? (sec - fromSec) / (toSec - fromSec) : 0;
  useEffect(() => {
    if (canvas.current !== null)
      drawWaveform(
        canvas.current,
        columns,
        gain,
        shareOf(positionSec),
        markers?.map(shareOf).filter((share) => share >= 0 && share <= 1) ?? [],
      );
  });
  return canvas;
}

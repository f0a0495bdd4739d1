// Level meter from −60 dB to 0, updated through a custom property, without rendering again.

import "./level-meter.css";
import { useEffect, useRef } from "react";

/** `onLevel` subscribes to the peak (0 to 1) of every 50 ms and returns unsubscribe. */
export function LevelMeter({
  onLevel,
}: {
  onLevel: (listener: (peak: number) => void) => () => void;
}) {
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let displayedLevel = 0;
    return onLevel((peak) => {
      const level = Math.max(0, 1 + (20 * Math.log10(Math.max(peak, 1e-6))) / 60);
      // Rises at once and falls slowly, so that it is readable.
      displayedLevel = Math.max(level, displayedLevel * 0.85);
      meter.current?.style.setProperty("--level", displayedLevel.toFixed(3));
    });
  }, [onLevel]);
  return (
    <div className="level-meter" aria-hidden ref={meter}>
      <span />
    </div>
  );
}

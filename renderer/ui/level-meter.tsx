// Loudness on a line from −60 dB to 0, drawn without rendering anything again.

import "./level-meter.css";
import { useEffect, useRef } from "react";

/** `onLevel` tells the loudest value of every twentieth of a second, 0 to 1, and answers how to stop. */
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
      // Up at once, down slowly: a meter that can be read.
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

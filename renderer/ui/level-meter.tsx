// Level meter from −60 dB to 0, updated through a custom property, without rendering again.

import "./level-meter.css";
import { useEffect, useRef } from "react";
import { displayLevel } from "./level.ts";

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
      displayedLevel = displayLevel(displayedLevel, peak);
      meter.current?.style.setProperty("--level", displayedLevel.toFixed(3));
    });
  }, [onLevel]);
  return (
    <div className="level-meter" aria-hidden ref={meter}>
      <span />
    </div>
  );
}

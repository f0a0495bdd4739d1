// A position in a recording as a slider, for screen readers and the Tab key.

import { formatTime } from "../messages/format.ts";

export const timeSliderProps = (label: string, sec: number, durationSec: number) =>
  ({
    role: "slider",
    tabIndex: 0,
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": Math.round(durationSec),
    "aria-valuenow": Math.round(sec),
    "aria-valuetext": formatTime(sec),
  }) as const;

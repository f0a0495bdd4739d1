// Lengths that a pause in the script gets by dragging and by keys.

export const longestPauseSec = 60;
const stepSec = 0.1;
const largeStepSec = 1;

/** In tenths, within what a pause may last. */
export const roundPauseSec = (sec: number): number =>
  Math.min(longestPauseSec, Math.max(0, Math.round(sec * 10) / 10));

/** As sliders have it. @returns undefined for other keys */
export function keyedPauseSec(sec: number, key: string, isLargeStep: boolean): number | undefined {
  if (key === "Home") return 0;
  const step = isLargeStep ? largeStepSec : stepSec;
  const change = {
    ArrowLeft: -step,
    ArrowRight: step,
    PageDown: -largeStepSec,
    PageUp: largeStepSec,
  }[key];
  return change === undefined ? undefined : roundPauseSec(sec + change);
}

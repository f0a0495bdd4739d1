// Measures how the CPU time of a function grows with its input's length. Takes the minimum of several runs, so that
// neither other processes nor garbage collection count.

/** Below this, clock resolution and garbage collection dominate. */
const minMeasurableMs = 10;
/**
 * A ratio that is too high is measured again at twice the length until a run takes this long: noise disappears, real
 * growth does not.
 */
const conclusiveMs = 400;
const firstLength = 1_000;
const attempts = 3;

export type Growth = {
  /** Time at twice the length divided by the time at the length; 1 if both are too short to measure. */
  ratio: number;
  length: number;
  /** Time at twice the length. */
  longMs: number;
};

export type GrowthOptions = { maxLength?: number; maxRatio?: number };

/** Doubles the length until the time is measurable or `maxLength` is reached. */
export function measureGrowth(
  run: (text: string) => unknown,
  make: (length: number) => string,
  { maxLength = 16_000, maxRatio = 2.5 }: GrowthOptions = {},
): Growth {
  let minGrowth: Growth | undefined;
  for (let length = firstLength; ; length *= 2) {
    const long = make(2 * length);
    let longMs = cpuMs(run, long);
    if (longMs < minMeasurableMs) {
      if (length < maxLength) continue;
      return { ratio: 1, length, longMs };
    }
    const short = make(length);
    let shortMs = Infinity;
    for (let at = 0; at === 0 || (at < attempts && longMs > maxRatio * shortMs); at++) {
      shortMs = Math.min(shortMs, cpuMs(run, short));
      longMs = Math.min(longMs, cpuMs(run, long));
    }
    for (let at = 0; at < attempts && longMs > maxRatio * shortMs; at++)
      longMs = Math.min(longMs, cpuMs(run, long));
    const growth = { ratio: longMs / shortMs, length, longMs };
    if (minGrowth === undefined || growth.ratio < minGrowth.ratio) minGrowth = growth;
    if (minGrowth.ratio <= maxRatio || longMs >= conclusiveMs) return minGrowth;
  }
}

function cpuMs(run: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  run(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

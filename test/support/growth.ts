// How the time of a function grows with the length of its input: processor time, the least of several tries, so that
// neither another process nor the garbage collector is taken for the function.

/** Below this the clock and the collector tell more than the function does. */
const minMeasurableMs = 10;
/** What seems to grow too fast is measured again at twice the length, until it takes so long: noise passes, growth does not. */
const conclusiveMs = 400;
const firstLength = 1_000;
const attempts = 3;

export type Growth = {
  /** Time at twice the length over time at the length; 1 where both are too short to measure. */
  ratio: number;
  length: number;
  /** At twice the length. */
  longMs: number;
};

export type GrowthOptions = { maxLength?: number; maxRatio?: number };

/** Doubles the length until the time can be measured, or the length is the longest that is of interest. */
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

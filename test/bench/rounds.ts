// Measures several candidates in alternation, so that other load on the machine affects all of them alike.

import { logProgress } from "../support/report.ts";

/** Milliseconds of each round, by candidate. */
export type Times<Name extends string> = Record<Name, number[]>;

/** @param contenders each runs once per round and returns its milliseconds */
export async function measureInTurns<Name extends string>(
  rounds: number,
  contenders: Record<Name, () => Promise<number>>,
): Promise<Times<Name>> {
  const entries = Object.entries<() => Promise<number>>(contenders) as [
    Name,
    () => Promise<number>,
  ][];
  const times = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Times<Name>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, run] of entries) {
      times[name].push(await run());
      if (rounds < 10)
        logProgress(`  round ${round} of ${rounds}: ${name} ${times[name].at(-1)?.toFixed(0)} ms`);
    }
  }
  return times;
}

/** The fastest run is the least disturbed one: for long runs, of which only a few can be made. */
export const fastest = (values: readonly number[]): number => Math.min(...values);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

// Responsiveness: a real process with a library of large things answers /health every 50 ms while the window's calls
// work on them, and a window listens.

import { join } from "node:path";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import type { Row } from "../../support/report.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import { type Call, callsOf } from "../responsiveness/calls.ts";
import { type HealthPoll, pollHealth } from "../responsiveness/health-poll.ts";
import {
  fillLibrary,
  type LargeLibrary,
  type Sizes,
  writeArchive,
} from "../responsiveness/large-library.ts";

const slowMs = 100;
const maxMs = 500;
const maxLoopMs = 50;

const longSizes: Sizes = { book: 5_000_000, segments: 4_000, madeSentences: 900 };
const shortSizes: Sizes = { book: 50_000, segments: 200, madeSentences: 10 };

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const sizes = context.isShort ? shortSizes : longSizes;
    const archivePath = join(context.scratchDir, "other.zip");
    await writeArchive(archivePath, join(context.scratchDir, "other"), context.random, sizes);
    let library: LargeLibrary | undefined;
    const hearsay = await startHearsay({
      watchesLoop: true,
      fill: async (dataDir) => (library = await fillLibrary(dataDir, context.random, sizes)),
    });
    try {
      if (library === undefined) throw new Error("the library was not filled");
      return await measured(
        hearsay,
        callsOf(hearsay, {
          library,
          archivePath,
          soundSec: context.isShort ? 60 : 3600,
          random: context.random,
        }),
        context,
      );
    } finally {
      await hearsay.close();
    }
  },
};

async function measured(
  hearsay: HearsayProcess,
  calls: readonly Call[],
  context: EndureContext,
): Promise<Row[]> {
  const leave = await listenAsWindow(hearsay);
  const health = pollHealth(`${new URL(hearsay.baseUrl).origin}/health`);
  try {
    return await measuredBeside(health, hearsay, calls, context);
  } finally {
    await health.stop();
    await leave();
  }
}

async function measuredBeside(
  health: HealthPoll,
  hearsay: HearsayProcess,
  calls: readonly Call[],
  { minutes, isShort, log }: EndureContext,
): Promise<Row[]> {
  const times: number[] = [];
  // Of the first one, most is the asking thread's start.
  await health.times();
  const worst = { loopMs: 0, loop: "", cpuMs: 0, cpu: "", healthMs: 0, health: "" };
  await hearsay.loopDelay();
  const untilMs = performance.now() + (isShort ? 0 : minutes * 60_000);
  do {
    for (const { what, run } of calls) {
      const startMs = performance.now();
      await run();
      const tookMs = performance.now() - startMs;
      const { longestMs, longestCpuMs } = await hearsay.loopDelay();
      const answered = await health.times();
      const slowest = Math.max(0, ...answered);
      if (Math.max(longestMs, longestCpuMs) > maxLoopMs || slowest > slowMs) {
        log(
          `${what} (${tookMs.toFixed(0)} ms): event loop ${longestMs.toFixed(0)} ms, processor ${longestCpuMs.toFixed(0)} ms, /health ${slowest.toFixed(0)} ms`,
        );
      }
      times.push(...answered);
      if (longestMs > worst.loopMs) [worst.loopMs, worst.loop] = [longestMs, what];
      if (longestCpuMs > worst.cpuMs) [worst.cpuMs, worst.cpu] = [longestCpuMs, what];
      if (slowest > worst.healthMs) [worst.healthMs, worst.health] = [slowest, what];
    }
  } while (performance.now() < untilMs);
  const area = "responsiveness";
  const byCpu: Row = {
    area,
    what: "longest stretch of the main thread, processor time",
    value: worst.cpuMs,
    unit: "ms",
    goal: { max: isShort ? 4 * maxLoopMs : maxLoopMs },
    note: worst.cpu,
  };
  // By the clock only where nothing else runs: the tests share their machine.
  if (isShort) return [byCpu];
  const withinPercent = (100 * times.filter((ms) => ms <= slowMs).length) / times.length;
  return [
    byCpu,
    {
      area,
      what: `/health within ${slowMs} ms`,
      value: withinPercent,
      unit: "%",
      goal: { min: 99.9 },
      note: `${times.length} requests`,
    },
    {
      area,
      what: "slowest /health",
      value: worst.healthMs,
      unit: "ms",
      goal: { max: maxMs },
      note: worst.health,
    },
    {
      area,
      what: "longest delay of the event loop",
      value: worst.loopMs,
      unit: "ms",
      goal: { max: maxLoopMs },
      note: worst.loop,
    },
  ];
}

/** Reads all that the app announces. @returns how to leave */
async function listenAsWindow(hearsay: HearsayProcess): Promise<() => Promise<void>> {
  const leaving = new AbortController();
  const events = await fetch(`${new URL(hearsay.baseUrl).origin}/app/events`, {
    headers: { authorization: `Bearer ${hearsay.key}` },
    signal: leaving.signal,
  });
  const read = (async () => {
    for await (const _ of events.body ?? []);
  })().catch(() => {});
  return async () => {
    leaving.abort();
    await read;
  };
}

// Responsiveness: a real process with a library of large items answers /health every 50 ms while it processes the
// window's requests, and a window is subscribed to events.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import type { Row } from "../../support/report.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import type { Call } from "../responsiveness/call-client.ts";
import { createCalls } from "../responsiveness/calls.ts";
import { type HealthPoll, pollHealth } from "../responsiveness/health-poll.ts";
import {
  fillLibrary,
  type LargeLibrary,
  type Sizes,
  writeArchive,
} from "../responsiveness/large-library.ts";

const execute = promisify(execFile);

type Delay = { readonly ms: number; /** Where it was measured. */ readonly call: string };
const none: Delay = { ms: 0, call: "" };
const longer = (one: Delay, other: Delay): Delay => (other.ms > one.ms ? other : one);

const slowMs = 100;
const maxMs = 500;
const maxLoopMs = 50;

const fullSizes: Sizes = { book: 5_000_000, segments: 4_000, generatedSentences: 900 };
const shortFormSizes: Sizes = { book: 50_000, segments: 200, generatedSentences: 10 };

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const sizes = context.isShort ? shortFormSizes : fullSizes;
    const archivePath = join(context.scratchDir, "other.zip");
    await writeArchive(archivePath, join(context.scratchDir, "other"), context.random, sizes);
    let library: LargeLibrary | undefined;
    const hearsay = await startHearsay({
      measuresLoopDelay: true,
      prepareDataDir: async (dataDir) =>
        (library = await fillLibrary(dataDir, context.random, sizes)),
    });
    // Writing the library to the disk would delay the first calls.
    await execute("sync").catch(() => context.log("the disk could not be synchronized first"));
    try {
      if (library === undefined) throw new Error("the library was not filled");
      return await measureWhileListening(
        hearsay,
        createCalls(hearsay, {
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

async function measureWhileListening(
  hearsay: HearsayProcess,
  calls: readonly Call[],
  context: EndureContext,
): Promise<Row[]> {
  const stopListening = await listenAsWindow(hearsay);
  const health = pollHealth(`${new URL(hearsay.baseUrl).origin}/health`);
  try {
    return await measureCalls(health, hearsay, calls, context);
  } finally {
    await health.stop();
    await stopListening();
  }
}

async function measureCalls(
  health: HealthPoll,
  hearsay: HearsayProcess,
  calls: readonly Call[],
  { minutes, isShort, log }: EndureContext,
): Promise<Row[]> {
  const allHealthTimesMs: number[] = [];
  // Most of the first result is the start of the polling thread.
  await health.times();
  const worst = { loop: none, own: none, cpu: none, health: none };
  await hearsay.loopDelay();
  const untilMs = performance.now() + (isShort ? 0 : minutes * 60_000);
  do {
    for (const { name, run } of calls) {
      const startMs = performance.now();
      await run();
      const elapsedMs = performance.now() - startMs;
      const { longestMs, longestOwnMs, longestCpuMs } = await hearsay.loopDelay();
      const healthTimesMs = await health.times();
      const slowest = Math.max(0, ...healthTimesMs);
      if (longestMs > maxLoopMs || slowest > slowMs) {
        log(
          `${name} (${elapsedMs.toFixed(0)} ms): event loop ${longestMs.toFixed(0)} ms, ` +
            `own ${longestOwnMs.toFixed(0)} ms, processor ${longestCpuMs.toFixed(0)} ms, ` +
            `/health ${slowest.toFixed(0)} ms`,
        );
      }
      allHealthTimesMs.push(...healthTimesMs);
      worst.loop = longer(worst.loop, { ms: longestMs, call: name });
      worst.own = longer(worst.own, { ms: longestOwnMs, call: name });
      worst.cpu = longer(worst.cpu, { ms: longestCpuMs, call: name });
      worst.health = longer(worst.health, { ms: slowest, call: name });
    }
  } while (performance.now() < untilMs);
  const area = "responsiveness";
  const cpuRow: Row = {
    area,
    what: "longest stretch of the main thread, processor time",
    value: worst.cpu.ms,
    unit: "ms",
    goal: { max: isShort ? 4 * maxLoopMs : maxLoopMs },
    note: worst.cpu.call,
  };
  // Elapsed time only counts if nothing else runs. Tests share their machine, so there only CPU time counts.
  if (isShort) return [cpuRow];
  const withinPercent =
    (100 * allHealthTimesMs.filter((ms) => ms <= slowMs).length) / allHealthTimesMs.length;
  return [
    cpuRow,
    {
      area,
      what: `/health within ${slowMs} ms`,
      value: withinPercent,
      unit: "%",
      goal: { min: 99.9 },
      note: `${allHealthTimesMs.length} requests`,
    },
    {
      area,
      what: "slowest /health",
      value: worst.health.ms,
      unit: "ms",
      goal: { max: maxMs },
      note: worst.health.call,
    },
    {
      area,
      what: "longest delay of the event loop of its own",
      value: worst.own.ms,
      unit: "ms",
      goal: { max: maxLoopMs },
      note: `${worst.own.call}; with waits for a processor ${worst.loop.ms.toFixed(0)} ms, ${worst.loop.call}`,
    },
  ];
}

/** Reads all events of the app. @returns a function that unsubscribes */
async function listenAsWindow(hearsay: HearsayProcess): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const events = await fetch(`${new URL(hearsay.baseUrl).origin}/app/events`, {
    headers: { authorization: `Bearer ${hearsay.key}` },
    signal: abort.signal,
  });
  const read = (async () => {
    for await (const _ of events.body ?? []);
  })().catch(() => {});
  return async () => {
    abort.abort();
    await read;
  };
}

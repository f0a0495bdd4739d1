// Everything the app is for, mixed and at once, for a long time: nothing fails, and nothing is left behind. At a few
// moments the load stops and what is left is measured: memory after a forced collection, open files, children.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startHearsay, type HearsayProcess } from "../../support/hearsay-process.ts";
import { readSamples } from "../../support/recordings.ts";
import type { Row } from "../../support/report.ts";
import { soundFile, spokenSamples } from "../../support/test-data.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import { operations, pickOperation, type SoakSounds } from "../soak/operations.ts";
import { createSoakClient, type SoakClient, UnexpectedAnswer } from "../soak/soak-client.ts";
import {
  canWatch,
  type Leftovers,
  leftoversOf,
  measureHeap,
  peakRssBytes,
  probeArgs,
} from "../soak/watched-process.ts";

const clientCount = 4;
const minuteMs = 60_000;
/** Until the first checkpoint, when nothing is loaded for the first time any more, and between checkpoints. */
const phaseMinutes = 5;
/** Unused engines are let go soon: then even they must be gone. */
const idleSec = 2;
const settleLimitMs = 60_000;
/** Shorter runs tell no slope from noise. */
const minSlopeMinutes = 120;
const maxRssMb = 200;
const maxHeapGrowthMb = 3;

type Checkpoint = { atMinutes: number; heapMb: number; rssMb: number; left: Leftovers | undefined };

export const part: EndurePart = {
  defaultMinutes: 20,
  async run(context) {
    const { random, minutes, isShort, log } = context;
    const sounds = await makeSounds(context);
    const hearsay = await startHearsay({
      workers: 2,
      args: ["--headless"],
      execArgv: probeArgs,
      env: { HEARSAY_IDLE_SEC: String(idleSec), HEARSAY_LOG: "warn" },
    });
    const client = createSoakClient({
      origin: new URL(hearsay.baseUrl).origin,
      key: hearsay.key,
      random,
    });
    try {
      // Each once, so that the first checkpoint knows what stays open for good.
      for (const operation of operations) await perform(operation, client, sounds);
      const first = await checkpoint(hearsay, client, 0);
      const startMs = performance.now();
      const elapsedMinutes = (): number => (performance.now() - startMs) / minuteMs;
      const checkpoints: Checkpoint[] = [];
      for (const shareMinutes of phases(minutes)) {
        const untilMs = performance.now() + shareMinutes * minuteMs;
        await Promise.all(
          Array.from({ length: clientCount }, () => keepBusy(client, sounds, untilMs)),
        );
        const reached = await checkpoint(hearsay, client, elapsedMinutes(), first.left);
        checkpoints.push(reached);
        log(
          `minute ${reached.atMinutes.toFixed(1)}: ${client.counts.requests} requests, heap ${reached.heapMb.toFixed(2)} MB, rss ${reached.rssMb.toFixed(0)} MB, ${JSON.stringify(reached.left ?? {})}`,
        );
      }
      for (const fault of client.faults) log(fault);
      return rows({ client, hearsay, first, checkpoints, minutes, isShort });
    } finally {
      await client.hangUp();
      await hearsay.close();
    }
  },
};

/** How long the load goes on before each checkpoint; two at least. */
function phases(minutes: number): number[] {
  const warmUp = Math.min(phaseMinutes, minutes * 0.4);
  const count = Math.max(1, Math.round((minutes - warmUp) / phaseMinutes));
  return [warmUp, ...Array.from({ length: count }, () => (minutes - warmUp) / count)];
}

async function makeSounds({ scratchDir }: EndureContext): Promise<SoakSounds> {
  const path = await soundFile(
    join(scratchDir, "clip.wav"),
    await spokenSamples("The harbour was quiet that morning."),
  );
  const pcm = Int16Array.from(readSamples(path, 16_000), (value) => Math.round(value * 32_767));
  return { wav: new Uint8Array(await readFile(path)), pcm: new Uint8Array(pcm.buffer) };
}

async function keepBusy(client: SoakClient, sounds: SoakSounds, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) await perform(pickOperation(client.random), client, sounds);
}

async function perform(
  { name, run }: (typeof operations)[number],
  client: SoakClient,
  sounds: SoakSounds,
): Promise<void> {
  try {
    await run(client, sounds);
  } catch (error) {
    if (error instanceof UnexpectedAnswer) return;
    client.noteFault(`${name}: ${String((error as Error).cause ?? error)}`);
  }
}

/** Nothing is asked meanwhile. @param goal what was left at the first one: waited for, within a limit */
async function checkpoint(
  hearsay: HearsayProcess,
  client: SoakClient,
  atMinutes: number,
  goal?: Leftovers,
): Promise<Checkpoint> {
  await client.hangUp();
  const left = canWatch ? await settled(hearsay, goal) : undefined;
  const { heapUsedBytes, rssBytes } = await measureHeap(hearsay);
  return { atMinutes, heapMb: heapUsedBytes / 1e6, rssMb: rssBytes / 1e6, left };
}

async function settled(hearsay: HearsayProcess, goal: Leftovers | undefined): Promise<Leftovers> {
  const untilMs = performance.now() + settleLimitMs;
  for (;;) {
    const left = leftoversOf(hearsay);
    const isBack =
      left.children === 0 &&
      left.temporaryFiles <= (goal?.temporaryFiles ?? Infinity) &&
      left.openFiles <= (goal?.openFiles ?? Infinity);
    if (isBack || performance.now() > untilMs) return left;
    await pause(100);
  }
}

type Outcome = {
  client: SoakClient;
  hearsay: HearsayProcess;
  first: Checkpoint;
  checkpoints: readonly Checkpoint[];
  minutes: number;
  isShort: boolean;
};

function rows({ client, hearsay, first, checkpoints, minutes, isShort }: Outcome): Row[] {
  const area = "soak";
  const { requests, serverErrors, otherFaults } = client.counts;
  const [warm, last] = [checkpoints[0], checkpoints.at(-1)];
  if (warm === undefined || last === undefined) throw new Error("nothing was measured");
  const note = canWatch ? {} : { note: "only Linux tells" };
  const more = (of: keyof Leftovers): number | undefined =>
    last.left && first.left ? last.left[of] - first.left[of] : undefined;
  const isLong = minutes >= minSlopeMinutes;
  const heap: Row = isLong
    ? {
        area,
        what: "heap after a forced collection, per hour",
        value: slopePerHour(checkpoints),
        unit: "MB",
        goal: { max: maxHeapGrowthMb },
      }
    : {
        area,
        what: `heap after a forced collection, from minute ${warm.atMinutes.toFixed(1)} to the end`,
        value: last.heapMb - warm.heapMb,
        unit: "MB",
        goal: { max: maxHeapGrowthMb },
      };
  return [
    {
      area,
      what: "unexpected 5xx",
      value: serverErrors,
      unit: "",
      goal: { max: 0 },
      note: `of ${requests} requests`,
    },
    { area, what: "other unexpected answers", value: otherFaults, unit: "", goal: { max: 0 } },
    {
      area,
      what: "memory of the process at most",
      value: canWatch ? peakRssBytes(hearsay) / 1e6 : undefined,
      unit: "MB",
      goal: { max: maxRssMb },
      ...note,
    },
    { ...heap, note: `${last.heapMb.toFixed(1)} MB at the end${isShort ? ", after seconds" : ""}` },
    {
      area,
      what: "open files more than at the beginning",
      value: more("openFiles"),
      unit: "",
      goal: { max: 0 },
      ...note,
    },
    {
      area,
      what: "temporary files left",
      value: more("temporaryFiles"),
      unit: "",
      goal: { max: 0 },
      ...note,
    },
    {
      area,
      what: "children left",
      value: last.left?.children,
      unit: "",
      goal: { max: 0 },
      ...note,
    },
  ];
}

/** Least squares over all checkpoints. */
function slopePerHour(checkpoints: readonly Checkpoint[]): number {
  const mean = (of: (point: Checkpoint) => number): number =>
    checkpoints.reduce((sum, point) => sum + of(point), 0) / checkpoints.length;
  const [meanMinutes, meanMb] = [mean(({ atMinutes }) => atMinutes), mean(({ heapMb }) => heapMb)];
  const spread = mean(({ atMinutes }) => (atMinutes - meanMinutes) ** 2);
  return spread === 0
    ? 0
    : (60 * mean(({ atMinutes, heapMb }) => (atMinutes - meanMinutes) * (heapMb - meanMb))) /
        spread;
}

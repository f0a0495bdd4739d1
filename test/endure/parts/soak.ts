// All features of the app, mixed and concurrent, for a long time: nothing may fail or leak. At a few checkpoints the
// load stops and the remaining resources are measured: memory after a forced garbage collection, open files, child
// processes.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startHearsay, type HearsayProcess } from "../../support/hearsay-process.ts";
import { readSamples } from "../../support/recordings.ts";
import type { Row } from "../../support/report.ts";
import { writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import { operations, pickOperation, type SoakAudio } from "../soak/operations.ts";
import { createSoakClient, type SoakClient, UnexpectedResponse } from "../soak/soak-client.ts";
import {
  canInspect,
  type Leftovers,
  measureLeftovers,
  measureHeap,
  peakRssBytes,
  probeArgs,
} from "../soak/watched-process.ts";

const clientCount = 4;
const minuteMs = 60_000;
/** Time until the first checkpoint, when everything has been loaded once, and between checkpoints. */
const phaseMinutes = 5;
/** Idle engines end soon, so that a checkpoint can expect none. */
const idleSec = 2;
const settleLimitMs = 60_000;
/** In shorter runs the slope cannot be distinguished from noise. */
const minSlopeMinutes = 120;
const maxRssMb = 200;
const maxHeapGrowthMb = 3;

type Checkpoint = {
  atMinutes: number;
  heapMb: number;
  rssMb: number;
  leftovers: Leftovers | undefined;
};

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
      // Each operation once, so that the first checkpoint includes what stays open permanently.
      for (const operation of operations) await perform(operation, client, sounds);
      const first = await checkpoint(hearsay, client, 0);
      const startMs = performance.now();
      const elapsedMinutes = (): number => (performance.now() - startMs) / minuteMs;
      const checkpoints: Checkpoint[] = [];
      for (const currentPhaseMinutes of phaseDurationsMinutes(minutes)) {
        const untilMs = performance.now() + currentPhaseMinutes * minuteMs;
        await Promise.all(
          Array.from({ length: clientCount }, () => runOperationsUntil(client, sounds, untilMs)),
        );
        const current = await checkpoint(hearsay, client, elapsedMinutes(), first.leftovers);
        checkpoints.push(current);
        log(
          `minute ${current.atMinutes.toFixed(1)}: ${client.counts.requests} requests, ` +
            `heap ${current.heapMb.toFixed(2)} MB, rss ${current.rssMb.toFixed(0)} MB, ` +
            describeLeftovers(current.leftovers),
        );
      }
      for (const fault of client.faults) log(fault);
      return rows({ client, hearsay, first, checkpoints, minutes, isShort });
    } finally {
      await client.closeConnections();
      await hearsay.close();
    }
  },
};

/** Duration of the load before each checkpoint; at least two. */
function phaseDurationsMinutes(minutes: number): number[] {
  const warmUp = Math.min(phaseMinutes, minutes * 0.4);
  const count = Math.max(1, Math.round((minutes - warmUp) / phaseMinutes));
  return [warmUp, ...Array.from({ length: count }, () => (minutes - warmUp) / count)];
}

/** Each element of `removed` is removed once. */
function withoutEach(all: readonly string[], removed: readonly string[]): string[] {
  const rest = [...all];
  for (const one of removed) if (rest.includes(one)) rest.splice(rest.indexOf(one), 1);
  return rest;
}

const describeLeftovers = (leftovers: Leftovers | undefined): string =>
  leftovers === undefined
    ? ""
    : `${leftovers.openFiles.length} open files, ${leftovers.temporaryFiles} temporary files, ${leftovers.children} children`;

async function makeSounds({ scratchDir }: EndureContext): Promise<SoakAudio> {
  const path = await writeAudioFile(
    join(scratchDir, "clip.wav"),
    await synthesizeSamples("The harbour was quiet that morning."),
  );
  const pcm = Int16Array.from(readSamples(path, 16_000), (value) => Math.round(value * 32_767));
  return { wav: new Uint8Array(await readFile(path)), pcm: new Uint8Array(pcm.buffer) };
}

async function runOperationsUntil(
  client: SoakClient,
  sounds: SoakAudio,
  untilMs: number,
): Promise<void> {
  while (performance.now() < untilMs) await perform(pickOperation(client.random), client, sounds);
}

async function perform(
  { name, run }: (typeof operations)[number],
  client: SoakClient,
  sounds: SoakAudio,
): Promise<void> {
  try {
    await run(client, sounds);
  } catch (error) {
    if (error instanceof UnexpectedResponse) return;
    client.countFault(`${name}: ${String((error as Error).cause ?? error)}`);
  }
}

/** Measures without load. @param baseline values of the first checkpoint: waits for them, up to a limit */
async function checkpoint(
  hearsay: HearsayProcess,
  client: SoakClient,
  atMinutes: number,
  baseline?: Leftovers,
): Promise<Checkpoint> {
  await client.closeConnections();
  const leftovers = canInspect ? await waitUntilSettled(hearsay, baseline) : undefined;
  const { heapUsedBytes, rssBytes } = await measureHeap(hearsay);
  return { atMinutes, heapMb: heapUsedBytes / 1e6, rssMb: rssBytes / 1e6, leftovers };
}

async function waitUntilSettled(
  hearsay: HearsayProcess,
  baseline: Leftovers | undefined,
): Promise<Leftovers> {
  const untilMs = performance.now() + settleLimitMs;
  for (;;) {
    const leftovers = measureLeftovers(hearsay);
    const isSettled =
      leftovers.children === 0 &&
      leftovers.temporaryFiles <= (baseline?.temporaryFiles ?? Infinity) &&
      leftovers.openFiles.length <= (baseline?.openFiles.length ?? Infinity);
    if (isSettled || performance.now() > untilMs) return leftovers;
    await pause(100);
  }
}

type SoakResult = {
  client: SoakClient;
  hearsay: HearsayProcess;
  first: Checkpoint;
  checkpoints: readonly Checkpoint[];
  minutes: number;
  isShort: boolean;
};

function rows({ client, hearsay, first, checkpoints, minutes, isShort }: SoakResult): Row[] {
  const area = "soak";
  const { requests, serverErrors, otherFaults } = client.counts;
  const [afterWarmUp, last] = [checkpoints[0], checkpoints.at(-1)];
  if (afterWarmUp === undefined || last === undefined) throw new Error("nothing was measured");
  const note = canInspect ? {} : { note: "only measured on Linux" };
  const newFiles =
    last.leftovers && withoutEach(last.leftovers.openFiles, first.leftovers?.openFiles ?? []);
  const increaseOf = (count: (of: Leftovers) => number): number | undefined =>
    last.leftovers && first.leftovers ? count(last.leftovers) - count(first.leftovers) : undefined;
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
        what: `heap after a forced collection, from minute ${afterWarmUp.atMinutes.toFixed(1)} to the end`,
        value: last.heapMb - afterWarmUp.heapMb,
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
      value: canInspect ? peakRssBytes(hearsay) / 1e6 : undefined,
      unit: "MB",
      goal: { max: maxRssMb },
      ...note,
    },
    { ...heap, note: `${last.heapMb.toFixed(1)} MB at the end${isShort ? ", after seconds" : ""}` },
    {
      area,
      what: "open files more than at the beginning",
      value: increaseOf(({ openFiles }) => openFiles.length),
      unit: "",
      goal: { max: 0 },
      ...(newFiles === undefined ? note : { note: newFiles.join(" ") }),
    },
    {
      area,
      what: "temporary files left",
      value: increaseOf(({ temporaryFiles }) => temporaryFiles),
      unit: "",
      goal: { max: 0 },
      ...note,
    },
    {
      area,
      what: "children left",
      value: last.leftovers?.children,
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
  const variance = mean(({ atMinutes }) => (atMinutes - meanMinutes) ** 2);
  return variance === 0
    ? 0
    : (60 * mean(({ atMinutes, heapMb }) => (atMinutes - meanMinutes) * (heapMb - meanMb))) /
        variance;
}

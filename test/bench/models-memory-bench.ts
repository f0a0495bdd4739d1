// A model of 1 GB through the pool: held once, whatever asks for it, and computed by all cores. Twenty models
// installed, used and removed leave neither files nor memory behind. Linux only.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createNodePlatform } from "../../main/cli/platform.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import { createPool, type Pool } from "../../main/engines/pool/pool.ts";
import { createModelStore } from "../../main/models/model-store.ts";
import { createSiblingLauncher } from "../../main/processes/sibling-launcher.ts";
import { neverAborted, quietLog, engineModule, sherpaModule } from "../support/app.ts";
import { type Results, skipped } from "../support/report.ts";
import { writeSenseVoice } from "../support/tiny-sherpa-models.ts";
import type { ServedApp } from "./served-app.ts";

const area = "memory of models";
/** A square matrix of this side has 2^28 numbers of 4 bytes. */
const gigabyteSide = 16_384;
const requests = 4;
const installs = 20;
const segment = { fromSec: 0, toSec: 2, startSec: 0, endSec: 2, voicedSec: 2, voiceProb: 1 };

/** Memory of processes in bytes; what they share counts once. */
const sharedOnceBytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return sum + 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }, 0);

/** Time of all threads, in ticks of 10 ms: the fields 14 and 15 of `stat`, after a name that may hold spaces. */
function processCpuSec(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function openPool(dataDir: string): Pool {
  const launchChild = createSiblingLauncher(createNodePlatform(dataDir).launchChild);
  return createPool(
    (runtime) => launchChild(runtime === "sherpa" ? sherpaModule : engineModule),
    { size: availableParallelism(), idleMs: 60_000, taskTimeoutMs: 120_000 },
    quietLog,
  );
}

const transcribe = (pool: Pool, model: InstalledModel, pcmPath: string) =>
  pool.job(neverAborted()).run("transcribe", {
    model,
    pcmPath,
    speechSegments: [segment],
    options: { task: "transcribe", temperature: 0, wordTimes: false },
  });

export async function benchModelsMemory(_: ServedApp, scratchDir: string): Promise<Results> {
  if (process.platform !== "linux")
    return { rows: [skipped(area, "models held once", "not Linux")], raw: {} };
  const dataDir = join(scratchDir, "models-memory");
  mkdirSync(dataDir, { recursive: true });
  const pcmPath = join(dataDir, "speech.pcm");
  writeFileSync(pcmPath, new Int16Array(32_000));
  const held = await measureLarge(dataDir, pcmPath);
  const left = await measureInstalls(dataDir, pcmPath);
  return { rows: [...held.rows, ...left.rows], raw: { ...held.raw, ...left.raw } };
}

async function measureLarge(dataDir: string, pcmPath: string): Promise<Results> {
  const pool = openPool(dataDir);
  try {
    const large = writeSenseVoice(join(dataDir, "large"), gigabyteSide);
    await transcribe(pool, writeSenseVoice(join(dataDir, "small")), pcmPath);
    const before = sharedOnceBytes(pool.pids());
    await Promise.all(Array.from({ length: requests }, () => transcribe(pool, large, pcmPath)));
    const grownMb = (sharedOnceBytes(pool.pids()) - before) / 1e6;
    const cpuSec = () => pool.pids().reduce((sum, pid) => sum + processCpuSec(pid), 0);
    const [startedAt, cpuBefore] = [performance.now(), cpuSec()];
    for (let turn = 0; turn < requests; turn += 1) await transcribe(pool, large, pcmPath);
    const cores = (cpuSec() - cpuBefore) / ((performance.now() - startedAt) / 1000);
    const parallelism = cores / availableParallelism();
    return {
      rows: [
        {
          area,
          what: "taken by a model of 1074 MB",
          value: grownMb,
          unit: "MB",
          goal: { max: 1200 },
          note: `${requests} requests at once`,
        },
        {
          area,
          what: "share of the cores it uses",
          value: parallelism,
          unit: "×",
          goal: { min: 0.8 },
          note: `${cores.toFixed(2)} cores`,
        },
      ],
      raw: { modelsMemory: { grownMb, cores } },
    };
  } finally {
    await pool.close();
    rmSync(join(dataDir, "large"), { recursive: true });
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What the app's own process holds once garbage is collected. */
function ownMemory(): { heapMb: number; rssMb: number } {
  for (let round = 0; round < 3; round += 1) collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 1e6, rssMb: rss / 1e6 };
}

/** Installs, uses and removes a model again and again. */
async function measureInstalls(dataDir: string, pcmPath: string): Promise<Results> {
  const pool = openPool(dataDir);
  const store = createModelStore({ dataDir, log: quietLog });
  try {
    const memory: number[] = [];
    const own: ReturnType<typeof ownMemory>[] = [];
    for (let turn = 0; turn < installs; turn += 1) {
      const folder = join(store.incomingDir, `turn-${turn}`);
      const model = await store.install(writeSenseVoice(folder), folder, "imported");
      await transcribe(pool, model, pcmPath);
      memory.push(sharedOnceBytes(pool.pids()));
      pool.unload(model.id);
      await store.remove(model.id);
      own.push(ownMemory());
    }
    const files = readdirSync(join(dataDir, "models"), { recursive: true, withFileTypes: true });
    const left = files.filter((file) => file.isFile()).length;
    // The first turns load code and fill caches.
    const [before, after] = [own[2], own.at(-1)];
    const ownGrowth = (kind: "heapMb" | "rssMb"): number =>
      (after?.[kind] ?? Number.NaN) - (before?.[kind] ?? Number.NaN);
    const grownMb = ((memory.at(-1) ?? 0) - (memory[0] ?? 0)) / 1e6;
    return {
      rows: [
        {
          area,
          what: `files left by ${installs} installs`,
          value: left,
          unit: "",
          goal: { max: 0 },
          note: "",
        },
        {
          area,
          what: `growth by ${installs} installs`,
          value: grownMb,
          unit: "MB",
          goal: { max: 20 },
          note: "of the engines",
        },
        {
          area,
          what: `growth of the heap by ${installs} installs`,
          value: ownGrowth("heapMb"),
          unit: "MB",
          goal: { max: 2 },
          note: "of the app's own process",
        },
        {
          area,
          what: `growth of RSS by ${installs} installs`,
          value: ownGrowth("rssMb"),
          unit: "MB",
          goal: { max: 20 },
          note: "of the app's own process",
        },
      ],
      raw: { installs: { memory, own, left } },
    };
  } finally {
    await pool.close();
  }
}

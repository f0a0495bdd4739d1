// What it costs to tell speakers apart in an hour of conversations: its speed alone, and time and memory beside a
// transcription. Memory on Linux only.

import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { wavHeader } from "../../main/audio/codec/framing.ts";
import { floatToPcm } from "../../main/audio/codec/pcm.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { sttSampleRateHz } from "../../main/engines/engine.ts";
import { createPool, engineModules } from "../../main/engines/pool/pool.ts";
import { createDiarization } from "../../main/inference/local-diarization.ts";
import { createLog } from "../../main/log.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { hasSharedAudio, sharedAudioDir } from "../support/recordings.ts";
import { logProgress, type Results, type Row, skipped } from "../support/report.ts";
import { talks } from "./conversations.ts";
import { openInProcessApp } from "./in-process-app.ts";
import { elapsedMs } from "./rounds.ts";
import type { ServedApp } from "./served-app.ts";

const area = "speakers";
const maxSec = 3600;
const sampleEveryMs = 100;

export async function benchSpeakers(_: ServedApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const { path, durationSec } = writeHour(scratchDir);
  const alone = await measure("speakers alone", () => findSpeakers(path, scratchDir));
  const [plain, labelled] = [
    await measure("transcription alone", () => transcribe(path)),
    await measure("transcription with speakers", () => transcribe(path, { speakers: {} })),
  ];
  const grownMb = labelled.peakMb - plain.peakMb;
  const memory: Row = {
    area,
    what: "peak memory, more than without",
    value: grownMb,
    unit: "MB",
    goal: { max: 150 },
    note: `${labelled.peakMb.toFixed(0)} MB with all processes`,
  };
  return {
    rows: [
      {
        area,
        what: "speed of telling speakers apart, of real time",
        value: (1000 * durationSec) / alone.ms,
        unit: "×",
        goal: { min: 25 },
        note: `${availableParallelism()} cores, ${durationSec.toFixed(0)} s`,
      },
      {
        area,
        what: "time with speakers, of both apart",
        value: labelled.ms / (plain.ms + alone.ms),
        unit: "×",
        goal: { max: 1.05 },
        note: `${(labelled.ms / 1000).toFixed(0)} s; transcription alone ${(plain.ms / 1000).toFixed(0)} s`,
      },
      process.platform === "linux" ? memory : skipped(area, memory.what, "not Linux"),
    ],
    raw: { speakers: { durationSec, alone, plain, labelled } },
  };
}

/** The recorded conversations again and again, written one by one: an hour of samples would count as memory. */
function writeHour(scratchDir: string): { path: string; durationSec: number } {
  const recordings = talks().map(({ samples }) => floatToPcm(samples));
  const path = join(scratchDir, "conversations.wav");
  writeFileSync(path, wavHeader(sttSampleRateHz, undefined));
  let durationSec = 0;
  for (let i = 0; durationSec < maxSec; i += 1) {
    const next = recordings[i % recordings.length] ?? new Uint8Array();
    appendFileSync(path, next);
    durationSec += next.length / 2 / sttSampleRateHz;
  }
  return { path, durationSec };
}

async function transcribe(
  path: string,
  options: Parameters<Awaited<ReturnType<typeof openInProcessApp>>["transcribe"]>[1] = {},
): Promise<void> {
  const app = await openInProcessApp();
  try {
    await app.transcribe(path, { wordTimes: true, isBestEffort: true, ...options });
  } finally {
    await app.close();
  }
}

async function findSpeakers(mediaPath: string, scratchDir: string): Promise<void> {
  const pool = createPool(
    (runtime) => createNodePlatform(scratchDir).launchChild(engineModules[runtime]),
    { size: availableParallelism(), idleMs: 60_000, supportDir: scratchDir },
    createLog("warn"),
  );
  const diarization = createDiarization({
    pool,
    vad: shippedModel("silero-vad"),
    diarizer: () => shippedModel("pyannote-community-1"),
    tempDir: () => scratchDir,
  });
  try {
    await diarization.findSpeakers({ mediaPath }, {}, new AbortController().signal);
  } finally {
    await pool.close();
  }
}

/** @returns how long it took, and the most memory that this process and its children held at a time */
async function measure(
  what: string,
  work: () => Promise<void>,
): Promise<{ ms: number; peakMb: number }> {
  logProgress(what);
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, heldMb());
  }, sampleEveryMs);
  try {
    const ms = await elapsedMs(work);
    return { ms, peakMb };
  } finally {
    clearInterval(timer);
  }
}

/** What processes share counts once. */
function heldMb(): number {
  if (!existsSync("/proc/self/smaps_rollup")) return 0;
  const own = String(process.pid);
  const children = readdirSync(`/proc/${own}/task`).flatMap((task) =>
    readFileSync(`/proc/${own}/task/${task}/children`, "utf8").split(" "),
  );
  return [own, ...children]
    .filter((pid) => pid !== "" && existsSync(`/proc/${pid}`))
    .reduce((sum, pid) => sum + proportionalMb(pid), 0);
}

/** 0 for a process that has just ended. */
function proportionalMb(pid: string): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

// Hostile media: decompression bombs and randomly damaged files of every format, sent to a whole app through the API
// and as uploads, which have fewer limits. Each may be refused with a reason. None may take much memory or time, or
// crash the app.

import type { Container } from "../../../main/audio/codec/formats.ts";
import type { Item } from "../../../main/contract/library-item.ts";
import { waitUntil } from "../../support/command-line.ts";
import {
  engineProcesses,
  canListProcesses,
  watchPeakMemory,
} from "../../support/child-processes.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import {
  fragmentsWithFalseClaims,
  mp4WithFalseClaims,
  mutateBytes,
  mp3WithCompressedPictures,
  lowRateWav,
  withoutFtyp,
} from "../../support/hostile-media.ts";
import type { Row } from "../../support/report.ts";
import { encodeAudio, noise } from "../../support/test-audio.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const containers: readonly Container[] = [
  "mp3",
  "mp4",
  "mpeg",
  "mpga",
  "m4a",
  "wav",
  "webm",
  "flac",
  "ogg",
  "opus",
];
const filesPerMinute = 2500;
const shortCount = 40;
const concurrency = 6;
/** One file in this many is uploaded. Coprime with the number of containers, so that each container is uploaded. */
const uploadEvery = 19;
/** Uploads are transcribed only while there are no other requests. */
const outcomeTimeoutMs = 120_000;

export const part: EndurePart = { defaultMinutes: 4, run };

async function run({ random, minutes, isShort, log }: EndureContext): Promise<Row[]> {
  const app = await startHearsay({ workers: 2, env: { HEARSAY_MORE_FORMATS: "1" } });
  const peaks = watchPeakMemory(app.pid);
  const requests = createRequests(app, log);
  const uploads = createUploads(app);
  try {
    for (const bomb of bombs(isShort)) {
      await requests.send(bomb);
      await uploads.send(bomb);
      await uploads.waitUntilFinished();
    }
    const fileCount = isShort ? shortCount : Math.round(filesPerMinute * minutes);
    await sendDamagedFiles(fileCount, random, requests, uploads);
    log(`${requests.summary()}; uploads: ${uploads.summary()}`);
    // Valid audio is still served.
    await requests.send(encodeAudio(noise(0.5, 48_000), 48_000, "mp3"));
    await uploads.send(encodeAudio(noise(0.5, 48_000), 48_000, "mp3"));
    await uploads.waitUntilFinished();
    return toRows(fileCount, requests, uploads, {
      maxMb: canListProcesses ? peaks.maxMb() : undefined,
      children: canListProcesses ? engineProcesses(app.pid).length : undefined,
    });
  } finally {
    peaks.close();
    await app.close();
  }
}

async function sendDamagedFiles(
  fileCount: number,
  random: () => number,
  requests: Requests,
  uploads: Uploads,
): Promise<void> {
  const encodedFiles = containers.map((container) =>
    encodeAudio(noise(0.5, 48_000), 48_000, container),
  );
  // Generated one after the other, so that only the seed determines them.
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < fileCount) {
      const file = mutateBytes(
        encodedFiles[next % encodedFiles.length] ?? new Uint8Array(1),
        random,
      );
      next += 1;
      if (next % uploadEvery === 0) await uploads.send(file);
      else await requests.send(file);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await uploads.waitUntilFinished();
}

function toRows(
  fileCount: number,
  requests: Requests,
  uploads: Uploads,
  { maxMb, children }: { maxMb: number | undefined; children: number | undefined },
): Row[] {
  const area = "media";
  const unexplained = uploads.unexplained();
  return [
    {
      area,
      what: "files sent",
      value: requests.count(),
      unit: "",
      goal: { min: fileCount - Math.floor(fileCount / uploadEvery) },
      note: requests.summary(),
    },
    {
      area,
      what: "files uploaded",
      value: uploads.count(),
      unit: "",
      goal: { min: Math.floor(fileCount / uploadEvery) },
      note: uploads.summary(),
    },
    {
      area,
      what: "uploads without an outcome, or refused without a reason",
      value: unexplained.length,
      unit: "",
      goal: { max: 0 },
      ...(unexplained.length > 0 && { note: unexplained.slice(0, 3).join("; ") }),
    },
    { area, what: "most memory of a child", value: maxMb, unit: "MB", goal: { max: 1000 } },
    {
      area,
      what: "slowest answer",
      value: requests.slowestMs() / 1000,
      unit: "s",
      goal: { max: 30 },
    },
    {
      area,
      what: "requests lost or answered with a failure of the app",
      value: requests.unexpected(),
      unit: "",
      goal: { max: 0 },
    },
    { area, what: "children at the end, at most", value: children, unit: "", goal: { max: 2 } },
  ];
}

type Requests = {
  send(file: Uint8Array): Promise<void>;
  count(): number;
  /** Number of requests by status. */
  summary(): string;
  /** Number of requests lost, or answered with a failure of the app. */
  unexpected(): number;
  slowestMs(): number;
};

function createRequests(app: HearsayProcess, log: (text: string) => void): Requests {
  const statuses = new Map<number | string, number>();
  let slowestMs = 0;
  let count = 0;
  return {
    async send(file) {
      const form = new FormData();
      form.set("model", "whisper-1");
      form.set("file", new Blob([new Uint8Array(file)]), "hostile");
      const startMs = performance.now();
      const status = await app
        .request("/audio/transcriptions", {
          method: "POST",
          body: form,
          signal: AbortSignal.timeout(outcomeTimeoutMs),
        })
        .then(
          async (answer) => (await answer.arrayBuffer(), answer.status),
          (error: Error) => `${error.message}: ${String(error.cause ?? "")}`,
        );
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      count += 1;
      if (count % 1000 === 0) log(`${count} files`);
    },
    count: () => count,
    summary: () =>
      [...statuses].map(([status, occurrences]) => `${status}: ${occurrences}`).join(", "),
    unexpected: () =>
      [...statuses].reduce(
        (sum, [status, occurrences]) =>
          sum + (typeof status === "number" && (status < 500 || status === 507) ? 0 : occurrences),
        0,
      ),
    slowestMs: () => slowestMs,
  };
}

type Uploads = {
  send(file: Uint8Array): Promise<void>;
  /**
   * Resolves when the work on all accepted uploads has ended, and removes them; unfinished ones count as unexplained.
   */
  waitUntilFinished(): Promise<void>;
  count(): number;
  /** Number of uploads by outcome. */
  summary(): string;
  unexplained(): readonly string[];
};

const isFinished = ({ state }: Item): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

function createUploads(app: HearsayProcess): Uploads {
  const uploadUrl = new URL("/app/uploads?name=hostile.m4a", app.baseUrl);
  const outcomes = new Map<string, number>();
  const unexplained: string[] = [];
  let count = 0;
  const addOutcome = (outcome: string, reason: string | undefined): void => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (reason === "" || reason?.includes("unexpected") === true)
      unexplained.push(`${outcome}: ${reason}`);
  };
  return {
    async send(file) {
      count += 1;
      try {
        const response = await fetch(uploadUrl, {
          method: "POST",
          body: new Blob([new Uint8Array(file)]),
          headers: {
            authorization: `Bearer ${app.key}`,
            "content-type": "application/octet-stream",
          },
          signal: AbortSignal.timeout(outcomeTimeoutMs),
        });
        const answer = (await response.json()) as { error?: { message?: string } };
        if (response.ok) return;
        addOutcome(String(response.status), answer.error?.message ?? "");
        if (response.status >= 500 && response.status !== 507)
          unexplained.push(`${response.status}: ${answer.error?.message}`);
      } catch (error) {
        unexplained.push(String(error));
      }
    },
    async waitUntilFinished() {
      const listItems = async (): Promise<Item[]> => (await app.app("listItems")).items;
      const timeout = AbortSignal.timeout(outcomeTimeoutMs);
      let items = await listItems();
      await waitUntil(async () => timeout.aborted || (items = await listItems()).every(isFinished));
      for (const item of items) {
        if (!isFinished(item)) unexplained.push(`still ${item.state}`);
        else addOutcome(item.state, item.state === "done" ? undefined : (item.error ?? ""));
      }
      if (items.length > 0) await app.app("removeItems", { itemIds: items.map(({ id }) => id) });
    },
    count: () => count,
    summary: () =>
      [...outcomes].map(([outcome, occurrences]) => `${outcome}: ${occurrences}`).join(", "),
    unexplained: () => unexplained,
  };
}

function bombs(isShort: boolean): Buffer[] {
  const million = 1e6;
  const mp3 = Buffer.from(encodeAudio(noise(0.5, 48_000), 48_000, "mp3"));
  const edit = [100_000 * 1024, 0] as const;
  return [
    mp4WithFalseClaims([{ samples: 80 * million }]),
    withoutFtyp(mp4WithFalseClaims([{ samples: 80 * million }])),
    mp4WithFalseClaims([
      { samples: 80 * million, sampleTicks: 1, samplesPerChunk: 1, handlers: ["vide"] },
    ]),
    mp4WithFalseClaims([{ samples: 40 * million }, { samples: 40 * million }]),
    mp4WithFalseClaims([{ samples: 80 * million, sampleBytes: 0 }]),
    mp4WithFalseClaims([{ samples: 4000 * million, sampleTicks: 1, isPcm: true, chunks: 20 }]),
    mp4WithFalseClaims(
      [{ samples: 100_000, edits: Array.from({ length: 1000 }, () => edit) }],
      Buffer.alloc(100_000),
    ),
    fragmentsWithFalseClaims(million, 60),
    lowRateWav(86_400),
    lowRateWav(90_000),
    mp3WithCompressedPictures(isShort ? 16 : 64, mp3),
  ];
}

// Hostile media: bombs, and files of every format that were damaged at random, sent to a whole app, through the API and
// as uploads to its studio, which asks less of a file. Each may be refused, with a reason; none may take much memory or
// time, or bring the app down.

import type { Container } from "../../../main/audio/codec/formats.ts";
import type { Item } from "../../../main/contract/studio.ts";
import { until } from "../../support/command-line.ts";
import { engineProcesses, seesProcesses, watchPeaks } from "../../support/child-processes.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import {
  lyingFragments,
  lyingMp4,
  mutate,
  packedPictures,
  slowWav,
  withoutFtyp,
} from "../../support/hostile-media.ts";
import type { Row } from "../../support/report.ts";
import { encodeSound, noise } from "../../support/sounds.ts";
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
const atOnce = 6;
/** One file of so many is uploaded; it takes turns with the containers, so that each of them is. */
const uploadEvery = 19;
/** Uploads are heard when nobody else asks for anything. */
const outcomePatienceMs = 120_000;

export const part: EndurePart = { defaultMinutes: 4, run };

async function run({ random, minutes, isShort, log }: EndureContext): Promise<Row[]> {
  const app = await startHearsay({ workers: 2, env: { HEARSAY_MORE_FORMATS: "1" } });
  const peaks = watchPeaks(app.pid);
  const statuses = new Map<number | string, number>();
  let slowestMs = 0;
  let count = 0;

  async function send(file: Uint8Array): Promise<void> {
    const form = new FormData();
    form.set("model", "whisper-1");
    form.set("file", new Blob([new Uint8Array(file)]), "hostile");
    const startMs = performance.now();
    const status = await app
      .ask("/audio/transcriptions", {
        method: "POST",
        body: form,
        signal: AbortSignal.timeout(120_000),
      })
      .then(
        async (answer) => (await answer.arrayBuffer(), answer.status),
        (error: Error) => `${error.message}: ${String(error.cause ?? "")}`,
      );
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    count += 1;
    if (count % 1000 === 0) log(`${count} files`);
  }

  const uploads = uploadsTo(app);

  try {
    for (const bomb of bombs(isShort)) {
      await send(bomb);
      await uploads.send(bomb);
      await uploads.ended();
    }
    const sounds = containers.map((container) =>
      encodeSound(noise(0.5, 48_000), 48_000, container),
    );
    const wanted = isShort ? shortCount : Math.round(filesPerMinute * minutes);
    // Made one after the other, so that the seed alone decides what they are.
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < wanted) {
        const file = mutate(sounds[next % sounds.length] ?? new Uint8Array(1), random);
        next += 1;
        if (next % uploadEvery === 0) await uploads.send(file);
        else await send(file);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    await uploads.ended();
    const told = [...statuses].map(([status, times]) => `${status}: ${times}`).join(", ");
    log(`${told}; uploads: ${uploads.told()}`);
    // Sound that is whole is served as before.
    await send(encodeSound(noise(0.5, 48_000), 48_000, "mp3"));
    await uploads.send(encodeSound(noise(0.5, 48_000), 48_000, "mp3"));
    await uploads.ended();
    const unexpected = [...statuses].reduce(
      (sum, [status, times]) =>
        sum + (typeof status === "number" && (status < 500 || status === 507) ? 0 : times),
      0,
    );
    return [
      {
        area: "media",
        what: "files sent",
        value: count,
        unit: "",
        goal: { min: wanted - Math.floor(wanted / uploadEvery) },
        note: told,
      },
      {
        area: "media",
        what: "files uploaded",
        value: uploads.count(),
        unit: "",
        goal: { min: Math.floor(wanted / uploadEvery) },
        note: uploads.told(),
      },
      {
        area: "media",
        what: "uploads without an outcome, or refused without a reason",
        value: uploads.unclear().length,
        unit: "",
        goal: { max: 0 },
        ...(uploads.unclear().length > 0 && { note: uploads.unclear().slice(0, 3).join("; ") }),
      },
      {
        area: "media",
        what: "most memory of a child",
        value: seesProcesses ? peaks.maxMb() : undefined,
        unit: "MB",
        goal: { max: 1000 },
      },
      {
        area: "media",
        what: "slowest answer",
        value: slowestMs / 1000,
        unit: "s",
        goal: { max: 30 },
      },
      {
        area: "media",
        what: "requests lost or answered with a failure of the app",
        value: unexpected,
        unit: "",
        goal: { max: 0 },
      },
      {
        area: "media",
        what: "children at the end, at most",
        value: seesProcesses ? engineProcesses(app.pid).length : undefined,
        unit: "",
        goal: { max: 2 },
      },
    ];
  } finally {
    peaks.close();
    await app.close();
  }
}

type Uploads = {
  send(file: Uint8Array): Promise<void>;
  /** Resolves when the work on everything that was taken is over, and takes it away; what is not over then is unclear. */
  ended(): Promise<void>;
  count(): number;
  /** How many came to which end. */
  told(): string;
  unclear(): readonly string[];
};

const isOver = ({ state }: Item): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

function uploadsTo(app: HearsayProcess): Uploads {
  const address = new URL("/app/uploads?name=hostile.m4a", app.baseUrl);
  const ends = new Map<string, number>();
  const unclear: string[] = [];
  let count = 0;
  const end = (how: string, reason: string | undefined): void => {
    ends.set(how, (ends.get(how) ?? 0) + 1);
    if (reason === "" || reason?.includes("unexpected") === true) unclear.push(`${how}: ${reason}`);
  };
  return {
    async send(file) {
      count += 1;
      try {
        const response = await fetch(address, {
          method: "POST",
          body: new Blob([new Uint8Array(file)]),
          headers: {
            authorization: `Bearer ${app.key}`,
            "content-type": "application/octet-stream",
          },
          signal: AbortSignal.timeout(outcomePatienceMs),
        });
        const answer = (await response.json()) as { error?: { message?: string } };
        if (response.ok) return;
        end(String(response.status), answer.error?.message ?? "");
        if (response.status >= 500 && response.status !== 507)
          unclear.push(`${response.status}: ${answer.error?.message}`);
      } catch (error) {
        unclear.push(String(error));
      }
    },
    async ended() {
      const open = async (): Promise<Item[]> => (await app.app("listItems")).items;
      const patience = AbortSignal.timeout(outcomePatienceMs);
      let items = await open();
      await until(async () => patience.aborted || (items = await open()).every(isOver));
      for (const item of items) {
        if (!isOver(item)) unclear.push(`still ${item.state}`);
        else end(item.state, item.state === "done" ? undefined : (item.error ?? ""));
      }
      if (items.length > 0) await app.app("removeItems", { itemIds: items.map(({ id }) => id) });
    },
    count: () => count,
    told: () => [...ends].map(([how, times]) => `${how}: ${times}`).join(", "),
    unclear: () => unclear,
  };
}

function bombs(isShort: boolean): Buffer[] {
  const million = 1e6;
  const mp3 = Buffer.from(encodeSound(noise(0.5, 48_000), 48_000, "mp3"));
  const edit = [100_000 * 1024, 0] as const;
  return [
    lyingMp4([{ samples: 80 * million }]),
    withoutFtyp(lyingMp4([{ samples: 80 * million }])),
    lyingMp4([{ samples: 80 * million, sampleTicks: 1, samplesPerChunk: 1, handlers: ["vide"] }]),
    lyingMp4([{ samples: 40 * million }, { samples: 40 * million }]),
    lyingMp4([{ samples: 80 * million, sampleBytes: 0 }]),
    lyingMp4([{ samples: 4000 * million, sampleTicks: 1, isPcm: true, chunks: 20 }]),
    lyingMp4(
      [{ samples: 100_000, edits: Array.from({ length: 1000 }, () => edit) }],
      Buffer.alloc(100_000),
    ),
    lyingFragments(million, 60),
    slowWav(86_400),
    slowWav(90_000),
    packedPictures(isShort ? 16 : 64, mp3),
  ];
}

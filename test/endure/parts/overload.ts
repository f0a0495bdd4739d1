// Ten times the load that the machine can handle, from 200 clients at once, some of which read slowly: accepted
// requests are served at about the normal rate, the others are refused within a second, and afterwards the rate is
// normal again.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import type { Row } from "../../support/report.ts";
import { writeAudioFile, synthesizeSamples } from "../../support/test-data.ts";
import type { EndureContext, EndurePart } from "../part.ts";

const area = "overload";
const sentence = "The ferry leaves at nine, whatever the weather may be, and comes back at five.";
/** Streamed, and too long to be complete before a slow reader has read its start. */
const longText = Array.from({ length: 12 }, () => sentence).join(" ");
const workers = 2;
const maxRecoverySec = 10;
/** Share of the unloaded rate, over windows of this length. */
const recoveredRate = { share: 0.9, windowSec: 3 };
/** Other tests run on the machine. */
const shortRecoveredRate = { share: 0.5, windowSec: 3 };

export const part: EndurePart = { defaultMinutes: 3, run };

type Load = {
  served: number;
  refused: number;
  wrong: string[];
  refusalMs: number[];
  seconds: number;
};

async function run({ minutes, isShort, scratchDir, log }: EndureContext): Promise<Row[]> {
  const clients = isShort ? 40 : 200;
  const slowReaders = isShort ? 4 : 20;
  const audio = await readFile(
    await writeAudioFile(join(scratchDir, "ferry.mp3"), await synthesizeSamples(sentence)),
  );
  const app = await startHearsay({ workers, env: isShort ? { HEARSAY_MAX_REQUESTS: "8" } : {} });
  try {
    // Load models and warm up the processes.
    await load(app, audio, 2 * workers, isShort ? 2 : 10);
    const phaseSec = isShort ? 6 : (minutes * 60) / 3;
    const unloaded = await load(app, audio, 2 * workers, phaseSec);
    log(`unloaded: ${unloaded.served} served in ${unloaded.seconds.toFixed(0)} s`);
    const slowReaderTasks = Array.from({ length: slowReaders }, () => readSlowly(app));
    const overloaded = await load(app, audio, clients, phaseSec);
    log(
      `overloaded: ${overloaded.served} served, ${overloaded.refused} refused in ${overloaded.seconds.toFixed(0)} s`,
    );
    const recovery = await waitForRecovery(
      app,
      audio,
      unloaded.served / unloaded.seconds,
      isShort ? shortRecoveredRate : recoveredRate,
    );
    log(`after it: ${recovery.rates.map((rate) => rate.toFixed(1)).join(", ")} a second`);
    for (const reader of slowReaderTasks) await (await reader).stop();
    const slowestRefusalMs = overloaded.refusalMs.toSorted((one, other) => one - other).at(-1) ?? 0;
    const rates = [unloaded, overloaded].map(({ served, seconds }) => served / seconds) as [
      number,
      number,
    ];
    return [
      {
        area,
        what: "requests refused",
        value: overloaded.refused,
        unit: "",
        goal: { min: 1 },
        note: `${clients} clients, ${slowReaders} slow readers`,
      },
      {
        area,
        what: "answered with anything but 200, 429 or 503",
        value: overloaded.wrong.length + unloaded.wrong.length + recovery.wrong.length,
        unit: "",
        goal: { max: 0 },
        note: [...overloaded.wrong, ...unloaded.wrong, ...recovery.wrong].slice(0, 3).join("; "),
      },
      {
        area,
        what: "slowest refusal",
        value: slowestRefusalMs,
        unit: "ms",
        ...(isShort ? {} : { goal: { max: 1000 } }),
      },
      {
        area,
        what: "throughput of what is taken, of that without the crowd",
        value: (100 * rates[1]) / rates[0],
        unit: "%",
        ...(isShort ? {} : { goal: { min: 90 } }),
        note: `${rates[0].toFixed(1)} and ${rates[1].toFixed(1)} a second`,
      },
      {
        area,
        what: "until as many are served as without the crowd",
        value: recovery.seconds,
        unit: "s",
        goal: { max: isShort ? recoveryLimitSec : maxRecoverySec },
        note: `${recovery.rates.at(-1)?.toFixed(1)} a second`,
      },
    ];
  } finally {
    await app.close();
  }
}

/** Each client sends one request after the other and respects Retry-After. */
async function load(
  app: HearsayProcess,
  audio: Uint8Array,
  clients: number,
  seconds: number,
): Promise<Load> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  const result: Load = { served: 0, refused: 0, wrong: [], refusalMs: [], seconds };
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const requestStartMs = performance.now();
      const { status, retryAfterSec, text } = await transcribe(app, audio);
      // Responses after the end count as well, because the elapsed time below includes them.
      if (status === 200) result.served += 1;
      else if (status === 429 || status === 503) {
        result.refused += 1;
        result.refusalMs.push(performance.now() - requestStartMs);
        await pause(Math.min(retryAfterSec * 1000, Math.max(0, endMs - performance.now())));
      } else result.wrong.push(`${status} ${text.slice(0, 100)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  result.seconds = (performance.now() - startMs) / 1000;
  return result;
}

/** How long to wait for the normal rate. */
const recoveryLimitSec = 60;

/**
 * Starts after the overload. @returns start of the window with the normal rate, in seconds, or more than
 * `recoveryLimitSec`
 */
async function waitForRecovery(
  app: HearsayProcess,
  audio: Uint8Array,
  unloadedRate: number,
  { share, windowSec }: typeof recoveredRate,
): Promise<{ seconds: number; rates: number[]; wrong: string[] }> {
  const rates: number[] = [];
  const wrong: string[] = [];
  for (const startMs = performance.now(); ;) {
    const seconds = (performance.now() - startMs) / 1000;
    const measured = await load(app, audio, 2 * workers, windowSec);
    rates.push(measured.served / measured.seconds);
    wrong.push(...measured.wrong);
    if (measured.served / measured.seconds >= share * unloadedRate || seconds > recoveryLimitSec)
      return { seconds, rates, wrong };
  }
}

type TranscriptionResponse = { status: number; retryAfterSec: number; text: string };

async function transcribe(app: HearsayProcess, audio: Uint8Array): Promise<TranscriptionResponse> {
  const form = new FormData();
  form.set("model", "moonshine-base");
  form.set("response_format", "text");
  form.set("file", new Blob([new Uint8Array(audio)]), "sound.mp3");
  try {
    const response = await app.request("/audio/transcriptions", { method: "POST", body: form });
    return {
      status: response.status,
      retryAfterSec: Number(response.headers.get("retry-after") ?? 1),
      text: await response.text(),
    };
  } catch (error) {
    return {
      status: 0,
      retryAfterSec: 1,
      text: `${(error as Error).message}: ${String((error as Error).cause ?? "")}`,
    };
  }
}

/** Reads the start of a streamed response, then nothing while the connection is open. */
async function readSlowly(app: HearsayProcess): Promise<{ stop(): Promise<void> }> {
  const stop = new AbortController();
  const body = JSON.stringify({
    model: "tts-1",
    voice: "nova",
    input: longText,
    response_format: "wav",
  });
  const response = await app
    .request("/audio/speech", { method: "POST", body, signal: stop.signal })
    .catch(() => undefined);
  const reader = response?.body?.getReader();
  await reader?.read().catch(() => undefined);
  return {
    async stop() {
      stop.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

// Speech synthesis: how much faster than real time a long text is generated, and how soon a short one starts.

import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { splitSentences } from "../../main/text/sentences.ts";
import { readSamples } from "../support/recordings.ts";
import { fourThousandCharacters, tenSentences } from "../support/english-texts.ts";
import { skipped, type Results, type Row } from "../support/report.ts";
import { benchKokoro } from "./kokoro-bench.ts";
import { fastest, measureInTurns, median } from "./rounds.ts";
import type { TimedResponse, ServedApp } from "./served-app.ts";

const area = "speak";
const longRounds = 5;
const shortRounds = 11;
const kokoroRounds = 5;
const page = fourThousandCharacters.slice(0, 1800);
const formats = ["mp3", "wav"] as const;

export async function benchSynthesis(app: ServedApp, scratchDir: string): Promise<Results> {
  const synthesize = (input: string, format: string, model = "tts-1"): Promise<TimedResponse> =>
    app.post(
      "/audio/speech",
      "application/json",
      Buffer.from(JSON.stringify({ model, voice: "nova", input, response_format: format })),
    );
  /** Duration of the decoded audio, so that an incomplete file does not count as fast. */
  const durationSec = async (format: string): Promise<number> => {
    const path = join(scratchDir, `long.${format}`);
    writeFileSync(path, (await synthesize(fourThousandCharacters, format)).body);
    return readSamples(path, 24_000).length / 24_000;
  };
  const durations = { mp3: await durationSec("mp3"), wav: await durationSec("wav") };
  const longMs = await measureInTurns(longRounds, {
    mp3: async () => (await synthesize(fourThousandCharacters, "mp3")).lastByteMs,
    wav: async () => (await synthesize(fourThousandCharacters, "wav")).lastByteMs,
  });
  const firstBytePercents: Record<(typeof formats)[number], number[]> = { mp3: [], wav: [] };
  const shortMs = await measureInTurns(shortRounds, {
    mp3: async () => recordFirstBytePercent("mp3", await synthesize(tenSentences, "mp3")),
    wav: async () => recordFirstBytePercent("wav", await synthesize(tenSentences, "wav")),
  });
  function recordFirstBytePercent(
    format: (typeof formats)[number],
    { firstByteMs, lastByteMs }: TimedResponse,
  ): number {
    firstBytePercents[format].push((100 * firstByteMs) / lastByteMs);
    return lastByteMs;
  }
  const rows = formats.flatMap((format): Row[] => {
    const ms = fastest(longMs[format]);
    const lastByteMs = median(shortMs[format]);
    const firstBytePercent = median(firstBytePercents[format]);
    return [
      {
        area,
        what: `4,000 characters as ${format}, of real time`,
        value: (1000 * durations[format]) / ms,
        unit: "×",
        goal: { min: 60 },
        note: `${durations[format].toFixed(0)} s of speech in ${(ms / 1000).toFixed(2)} s`,
      },
      {
        area,
        what: `first byte of ten sentences as ${format}, of the last one's time`,
        value: firstBytePercent,
        unit: "%",
        goal: { max: 15 },
        note: `${((firstBytePercent * lastByteMs) / 100).toFixed(0)} of ${lastByteMs.toFixed(0)} ms`,
      },
    ];
  });
  const pagePath = join(scratchDir, "page.wav");
  const cold = await synthesize(tenSentences, "wav", "kokoro");
  const kokoroMs = await measureInTurns(kokoroRounds, {
    hibari: async () => (await synthesize(tenSentences, "wav")).firstByteMs,
    kokoro: async () => (await synthesize(tenSentences, "wav", "kokoro")).firstByteMs,
    page: async () => {
      const { body, lastByteMs } = await synthesize(page, "wav", "kokoro");
      writeFileSync(pagePath, body);
      return lastByteMs;
    },
  });
  const pageSec = readSamples(pagePath, 24_000).length / 24_000;
  rows.push(
    {
      area,
      what: "first byte of ten sentences by Hibari",
      value: median(kokoroMs.hibari),
      unit: "ms",
      goal: { max: 150 },
    },
    {
      area,
      what: "first byte of ten sentences by Kokoro",
      value: median(kokoroMs.kokoro),
      unit: "ms",
      goal: { max: 1500 },
      note: `${cold.firstByteMs.toFixed(0)} ms while its process starts`,
    },
    {
      area,
      what: "a page of text by Kokoro, of real time",
      value: (1000 * pageSec) / fastest(kokoroMs.page),
      unit: "×",
      note: `${pageSec.toFixed(0)} s of speech`,
    },
  );
  const { row, raw } = await compareGraphs(() => synthesize(page, "wav", "kokoro"));
  const kokoro = await benchKokoro(app, area);
  rows.push(row, ...kokoro.rows);
  return {
    rows,
    raw: {
      ...kokoro.raw,
      kokoroMs,
      graphsMs: raw,
      synthesis: { durationsSec: durations, longMs, shortMs, firstBytePercent: firstBytePercents },
    },
  };
}

const graphRounds = 3;

/** HEARSAY_BENCH_KOKORO_GRAPH: the file that `make-graph.py` rewrites. It has a process with two threads for itself. */
async function compareGraphs(
  synthesizePage: () => Promise<TimedResponse>,
): Promise<{ row: Row; raw: unknown }> {
  const what = "a page of text by Kokoro, of its graph as it comes";
  const { HEARSAY_BENCH_KOKORO_GRAPH: graph } = process.env;
  if (graph === undefined)
    return { row: skipped(area, what, "no HEARSAY_BENCH_KOKORO_GRAPH"), raw: {} };
  const child = fork(join(import.meta.dirname, "bare-kokoro.ts"), [graph]);
  const sentences = splitSentences(page).map(({ text }) => text);
  const ms = await measureInTurns(graphRounds, {
    ours: async () => (await synthesizePage()).lastByteMs,
    asItComes: async () => {
      child.send(sentences);
      const [tookMs] = (await once(child, "message")) as [number];
      return tookMs;
    },
  });
  child.disconnect();
  const value = fastest(ms.asItComes) / fastest(ms.ours);
  return { row: { area, what, value, unit: "×", goal: { min: 2.5 } }, raw: ms };
}

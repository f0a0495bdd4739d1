// Live transcription over /v1/realtime, with sound at the speed at which it was spoken: how late words appear and are
// settled, how many change, what it costs, and whether the text is that of the file.

import { execFileSync } from "node:child_process";
import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { joinBytes, wavHeader } from "../../main/audio/codec/framing.ts";
import { floatToPcm, joinSamples } from "../../main/audio/codec/pcm.ts";
import {
  type Clip,
  clipsInLanguage,
  hasSharedAudio,
  readSamples,
  sharedAudioDir,
} from "../support/recordings.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";
import { wordErrors, writtenWords } from "../support/word-error-rate.ts";
import { streamLive } from "./live-stream.ts";
import { latenciesOf, quantile, type SpokenWord, timesOf } from "./live-times.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const sampleRateHz = 16_000;
const area = "live";
const streamsAtOnce = 6;

export async function benchLive(app: ServedApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio) return { rows: [skipped(area, "all", `no ${sharedAudioDir}`)], raw: {} };
  const english = await measureLanguage(app, scratchDir, "en", "English");
  const german = await measureLanguage(app, scratchDir, "de", "German");
  const many = await measureStreams(app, scratchDir);
  return {
    rows: [...english.rows, ...german.rows, ...many.rows],
    raw: { live: { english: english.raw, german: german.raw, many: many.raw } },
  };
}

const goals = {
  en: { shown: [0.7, 1.2], settled: [2, 3.5], completed: 0.5 },
  de: { shown: [1.5, 2.5], settled: [3.5, 6], completed: 1.2 },
} as const;

async function measureLanguage(
  app: ServedApp,
  scratchDir: string,
  language: "en" | "de",
  name: string,
): Promise<Results> {
  const clips = clipsInLanguage(language);
  const samples = joinClips(clips);
  const reference = await transcribeFile(app, scratchDir, samples, language);
  // Warm: the models are loaded.
  await streamLive(app, samples.subarray(0, 5 * sampleRateHz), language);
  logProgress(`${(samples.length / sampleRateHz).toFixed(0)} s of ${name} …`);
  const cpuBeforeSec = cpuSecOf(app.pid);
  const events = await streamLive(app, samples, language);
  const cpuShare = (cpuSecOf(app.pid) - cpuBeforeSec) / (samples.length / sampleRateHz);
  const times = timesOf(events, reference.words);
  const text = events
    .flatMap(({ type, transcript }) => (type === "completed" ? [transcript] : []))
    .join(" ");
  const spoken = clips.map((clip) => clip.text).join(" ");
  const [live, file] = [text, reference.text].map(
    (hypothesis) => wordErrors(spoken, hypothesis, writtenWords).rate * 100,
  ) as [number, number];
  const goal = goals[language];
  const late = latenciesOf(events);
  const row = (
    what: string,
    value: number | undefined,
    unit: Row["unit"],
    max?: number,
    note?: string,
  ): Row => ({
    area,
    what: `${name}: ${what}`,
    value,
    unit,
    ...(max === undefined ? {} : { goal: { max } }),
    ...(note === undefined ? {} : { note }),
  });
  return {
    rows: [
      row("word spoken to shown, median", quantile(times.shownSec, 0.5), "s", goal.shown[0]),
      row(
        "word spoken to shown, 95th percentile",
        quantile(times.shownSec, 0.95),
        "s",
        goal.shown[1],
      ),
      row("word spoken to settled, median", quantile(times.settledSec, 0.5), "s", goal.settled[0]),
      row(
        "word spoken to settled, 95th percentile",
        quantile(times.settledSec, 0.95),
        "s",
        goal.settled[1],
      ),
      row("speech_stopped to completed, median", quantile(late, 0.5), "s", goal.completed),
      row("words that change after they were shown", times.changedShare * 100, "%", 8),
      row("words that change after they were settled", times.resettledShare * 100, "%", 0.5),
      row("processor, of one core", cpuShare * 100, "%", language === "en" ? 45 : undefined),
      row(
        "word error beyond the file's",
        live - file,
        "%",
        0.5,
        `${live.toFixed(1)} % against ${file.toFixed(1)} %`,
      ),
    ],
    raw: { times, late, text, fileText: reference.text },
  };
}

async function measureStreams(app: ServedApp, scratchDir: string): Promise<Results> {
  const samples = joinClips(clipsInLanguage("en"));
  const reference = await transcribeFile(app, scratchDir, samples, "en");
  logProgress(`${streamsAtOnce} streams of English …`);
  // Not in step: people do not pause together.
  const streams = await Promise.all(
    Array.from({ length: streamsAtOnce }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 700));
      return streamLive(app, samples, "en");
    }),
  );
  const shownSec = streams.flatMap((events) => timesOf(events, reference.words).shownSec);
  return {
    rows: [
      {
        area,
        what: `${streamsAtOnce} streams of English: word spoken to shown, 95th percentile`,
        value: quantile(shownSec, 0.95),
        unit: "s",
        goal: { max: 3 },
        note: `median ${quantile(shownSec, 0.5)?.toFixed(2)} s`,
      },
    ],
    raw: { shownSec },
  };
}

const joinClips = (clips: readonly Clip[]): Float32Array =>
  joinSamples(
    clips.flatMap(({ path }) => [readSamples(path, sampleRateHz), new Float32Array(sampleRateHz)]),
  );

/** The text of the file by the same models, and when each word was spoken, by a model that tells. */
async function transcribeFile(
  app: ServedApp,
  scratchDir: string,
  samples: Float32Array,
  language: string,
): Promise<{ text: string; words: SpokenWord[] }> {
  const path = join(scratchDir, "live.wav");
  // The very samples that are streamed: others by a rounding error, and the model recognizes another word.
  const bytes = joinBytes([wavHeader(sampleRateHz, samples.length), floatToPcm(samples)]);
  writeFileSync(path, bytes);
  const ask = async (fields: Record<string, string>) => {
    const form = uploadForm({ language, ...fields }, Buffer.from(bytes), "live.wav");
    const { body } = await app.post("/audio/transcriptions", form.contentType, form.body);
    return JSON.parse(String(body)) as { text: string; words?: { word: string; end: number }[] };
  };
  const { text } = await ask({ model: "whisper-1" });
  const { words = [] } = await ask({
    model: "whisper-base",
    response_format: "verbose_json",
    "timestamp_granularities[]": "word",
  });
  unlinkSync(path);
  return { text, words: words.map(({ word, end }) => ({ word, endSec: end })) };
}

/** Of a process and all below it. */
function cpuSecOf(pid: number): number {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid=,cputimes="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
  const family = new Set([pid]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const [child, parent] of rows) if (family.has(parent)) family.add(child);
  }
  return rows.reduce((sum, [id, , sec]) => sum + (family.has(id) ? sec : 0), 0);
}

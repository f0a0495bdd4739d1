// Live transcription over /v1/realtime, with sound at the speed at which it was spoken: how late words appear and are
// settled, how many change, what it costs, and whether the text is that of the file.

import { execFileSync } from "node:child_process";
import { unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { joinSamples } from "../../main/audio/codec/pcm.ts";
import {
  type Clip,
  clipsInLanguage,
  hasSharedAudio,
  readSamples,
  sharedAudioDir,
} from "../support/recordings.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";
import { wavFile } from "../support/test-audio.ts";
import {
  commonPositions,
  editDistance,
  wordErrors,
  writtenWords,
} from "../support/word-error-rate.ts";
import { streamLive, type TimedEvent } from "./live-stream.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const sampleRateHz = 16_000;
const area = "live";
const streamsAtOnce = 6;

type SpokenWord = { word: string; endSec: number };
type WordTimes = {
  shownSec: number[];
  settledSec: number[];
  changedShare: number;
  resettledShare: number;
};

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
  const bytes = wavFile([samples], sampleRateHz);
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

/** When the words of each item appeared, and when they were settled, against when they were spoken. */
function timesOf(events: readonly TimedEvent[], spoken: readonly SpokenWord[]): WordTimes {
  const finalWords: { word: string; shownSec: number; settledSec: number }[] = [];
  let [shownCount, changedCount, settledCount, resettledCount] = [0, 0, 0, 0];
  for (const [, ofItem] of Map.groupBy(events, ({ itemId }) => itemId)) {
    const transcript = ofItem.find(({ type }) => type === "completed")?.transcript;
    if (transcript === undefined) continue;
    const words = writtenWords(transcript);
    const shownSec = words.map(() => Infinity);
    const settledSec = words.map(() => Infinity);
    let settled = "";
    let displayed: string[] = [];
    for (const { type, sec, delta = "", unsettled = "" } of ofItem) {
      if (type !== "delta" && type !== "completed") continue;
      settled += type === "delta" ? delta : "";
      const before = displayed;
      displayed = type === "completed" ? words : writtenWords(settled + unsettled);
      const settledWords = type === "completed" ? words : writtenWords(settled);
      // Words that disappear or become others; what is added changes nothing.
      changedCount += changedWords(before, displayed);
      shownCount += Math.max(0, displayed.length - before.length);
      // By order, not by position: a word that was heard as two moves all that follow.
      for (const [index] of commonPositions(words, displayed))
        shownSec[index] = Math.min(shownSec[index] ?? sec, sec);
      for (const [index] of commonPositions(words, settledWords))
        settledSec[index] = Math.min(settledSec[index] ?? sec, sec);
    }
    const deltaWords = writtenWords(settled);
    settledCount += deltaWords.length;
    resettledCount += editDistance(words, deltaWords);
    finalWords.push(
      ...words.map((word, index) => ({
        word,
        shownSec: shownSec[index] ?? Infinity,
        settledSec: settledSec[index] ?? Infinity,
      })),
    );
  }
  const spokenWords = spoken.flatMap(({ word, endSec }) =>
    writtenWords(word).map((part) => ({ word: part, endSec })),
  );
  const pairs = commonPositions(
    spokenWords.map(({ word }) => word),
    finalWords.map(({ word }) => word),
  ).map(([at, finalAt]) => ({
    endSec: spokenWords[at]?.endSec ?? 0,
    ...(finalWords[finalAt] as (typeof finalWords)[number]),
  }));
  return {
    shownSec: pairs.map(({ shownSec, endSec }) => shownSec - endSec),
    settledSec: pairs.map(({ settledSec, endSec }) => settledSec - endSec),
    changedShare: changedCount / Math.max(1, shownCount),
    resettledShare: resettledCount / Math.max(1, settledCount),
  };
}

/** Fewest edits that make what was shown the beginning of what is shown now. */
const changedWords = (before: readonly string[], now: readonly string[]): number =>
  Math.min(
    ...Array.from({ length: now.length + 1 }, (_, count) =>
      editDistance(before, now.slice(0, count)),
    ),
  );

/** From each end of speech to the transcript. */
const latenciesOf = (events: readonly TimedEvent[]): number[] =>
  events
    .filter(({ type }) => type === "input_audio_buffer.speech_stopped")
    .flatMap((stopped) => {
      const completed = events.find(
        ({ type, itemId }) => type === "completed" && itemId === stopped.itemId,
      );
      return completed === undefined ? [] : [completed.sec - stopped.sec];
    });

function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
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

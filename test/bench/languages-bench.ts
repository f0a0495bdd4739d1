// Languages other than English over the API: ten minutes of German compared with faster-whisper on the same weights,
// and the cost of language detection for a minute of English.

import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
  clipsInLanguage,
  englishClips,
  hasSharedAudio,
  longRecording,
  sharedAudioDir,
} from "../support/recordings.ts";
import { wavFile } from "../support/test-audio.ts";
import { wordErrors, writtenWords } from "../support/word-error-rate.ts";
import { fasterWhisperUnavailableReason, startFasterWhisper } from "./peers/faster-whisper.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";
import { fastest, measureInTurns, median } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const germanSec = 600;
const germanRounds = 3;
const englishSec = 60;
const englishRounds = 15;
const warmUps = 3;
const modes = ["plain", "batched"] as const;
const minSpeedups = { plain: 2, batched: 1.1 };

export async function benchGerman(app: ServedApp, scratchDir: string): Promise<Results> {
  const area = "transcribe German 10 min";
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const recording = longRecording(clipsInLanguage("de"), germanSec);
  const wavPath = join(scratchDir, "german.wav");
  writeFileSync(wavPath, wavFile([recording.samples], 16_000));
  const { contentType, body } = uploadForm(
    { model: "whisper-1", language: "de", response_format: "text" },
    readFileSync(wavPath),
    "german.wav",
  );
  const unavailableReason = fasterWhisperUnavailableReason();
  const whisper =
    unavailableReason === undefined ? await startFasterWhisper(availableParallelism()) : undefined;
  try {
    const texts: Record<string, string> = {};
    const hearsay = async (): Promise<number> => {
      const response = await app.post("/audio/transcriptions", contentType, body);
      texts["hearsay"] = response.body.toString("utf8");
      return response.lastByteMs;
    };
    const runPeer = (mode: (typeof modes)[number]) => async (): Promise<number> => {
      const { text, ms } = (await whisper?.transcribe(wavPath, "de", mode)) ?? {
        text: "",
        ms: Number.NaN,
      };
      texts[mode] = text;
      return ms;
    };
    logProgress(`${recording.durationSec.toFixed(0)} s of German`);
    // Load the models before measuring.
    await hearsay();
    const times = await measureInTurns<string>(germanRounds, {
      hearsay,
      ...(whisper && { plain: runPeer("plain"), batched: runPeer("batched") }),
    });
    const speed = (name: string): number =>
      (1000 * recording.durationSec) / fastest(times[name] ?? []);
    const rates = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        100 * wordErrors(recording.text, text, writtenWords).rate,
      ]),
    );
    const throughput = modes.map((mode): Row => {
      const what = `throughput, of faster-whisper base int8, ${mode}`;
      if (unavailableReason !== undefined) return skipped(area, what, unavailableReason);
      return {
        area,
        what,
        value: speed("hearsay") / speed(mode),
        unit: "×",
        goal: { min: minSpeedups[mode] },
        note: `${speed("hearsay").toFixed(1)}× real time against ${speed(mode).toFixed(1)}×`,
      };
    });
    const peerRates = modes.flatMap((mode) => rates[mode] ?? []);
    const hearsayRow: Row = {
      area,
      what: "word error rate",
      value: rates["hearsay"],
      unit: "%",
      ...(peerRates.length === 0
        ? {}
        : { goal: { max: Number(Math.min(...peerRates).toFixed(2)) } }),
      note: `${speed("hearsay").toFixed(1)}× real time`,
    };
    const peerRows = modes.flatMap((mode): Row[] =>
      rates[mode] === undefined
        ? []
        : [
            {
              area,
              what: `word error rate of faster-whisper, ${mode}`,
              value: rates[mode],
              unit: "%",
            },
          ],
    );
    return {
      rows: [...throughput, hearsayRow, ...peerRows],
      raw: {
        german: {
          durationSec: recording.durationSec,
          timesMs: times,
          wordErrorPercent: rates,
          texts,
        },
      },
    };
  } finally {
    await whisper?.close();
  }
}

export async function benchDetection(app: ServedApp, scratchDir: string): Promise<Results> {
  const area = "detection";
  const what = "time of 60 s of English, of that with the language given";
  if (!hasSharedAudio) return { rows: [skipped(area, what, `no ${sharedAudioDir}`)], raw: {} };
  const { samples } = longRecording(englishClips(), englishSec);
  const wavPath = join(scratchDir, "english.wav");
  writeFileSync(wavPath, wavFile([samples.subarray(0, englishSec * 16_000)], 16_000));
  const transcribeOverHttp = (fields: Record<string, string>): (() => Promise<number>) => {
    const { contentType, body } = uploadForm(
      { model: "whisper-1", ...fields },
      readFileSync(wavPath),
      "english.wav",
    );
    return async () => (await app.post("/audio/transcriptions", contentType, body)).lastByteMs;
  };
  const contenders = {
    detected: transcribeOverHttp({}),
    given: transcribeOverHttp({ language: "en" }),
  };
  for (let turn = 0; turn < warmUps; turn += 1)
    for (const run of Object.values(contenders)) await run();
  const times = await measureInTurns(englishRounds, contenders);
  const [detected, given] = [median(times.detected), median(times.given)];
  return {
    rows: [
      {
        area,
        what,
        value: detected / given,
        unit: "×",
        goal: { max: 1.15 },
        note: `${detected.toFixed(0)} ms against ${given.toFixed(0)} ms`,
      },
    ],
    raw: { detection: { timesMs: times } },
  };
}

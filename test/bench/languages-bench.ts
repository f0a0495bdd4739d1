// Languages other than English over the API: German and Spanish compared with faster-whisper on the same weights, as
// short turns of a conversation and as one long talk, and the cost of language detection.

import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { openEncoder } from "../../main/audio/codec/encode.ts";
import { languageName } from "../../main/contract/languages.ts";
import {
  type ClipLanguage,
  clipsInLanguage,
  englishClips,
  hasSharedAudio,
  longRecording,
  readTurn,
  sharedAudioDir,
} from "../support/recordings.ts";
import { wavFile } from "../support/test-audio.ts";
import { wordErrors, writtenWords } from "../support/word-error-rate.ts";
import {
  type FasterWhisper,
  fasterWhisperUnavailableReason,
  startFasterWhisper,
} from "./peers/faster-whisper.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";
import { fastest, measureInTurns, median } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const sampleRateHz = 16_000;
const recordingSec = 360;
const rounds = 3;
const englishSec = 60;
const englishRounds = 15;
const warmUps = 3;
const modes = ["plain", "batched"] as const;
const minSpeedups = { plain: 2, batched: 1.2 };
const maxDetectionFactor = 1.1;

type Recording = { path: string; durationSec: number; text: string };

export const benchGerman = (app: ServedApp, scratchDir: string): Promise<Results> =>
  benchLanguage(app, scratchDir, "de");
export const benchSpanish = (app: ServedApp, scratchDir: string): Promise<Results> =>
  benchLanguage(app, scratchDir, "es");

async function benchLanguage(
  app: ServedApp,
  scratchDir: string,
  language: ClipLanguage,
): Promise<Results> {
  const name = languageName(language);
  if (!hasSharedAudio)
    return { rows: [skipped(`transcribe ${name}`, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const recordings = {
    turns: writeTurns(scratchDir, language),
    talk: writeTalk(scratchDir, language),
  };
  const unavailableReason = fasterWhisperUnavailableReason();
  const peer =
    unavailableReason === undefined ? await startFasterWhisper(availableParallelism()) : undefined;
  const results: Results = { rows: [], raw: {} };
  try {
    for (const [kind, recording] of Object.entries(recordings)) {
      logProgress(`${recording.durationSec.toFixed(0)} s of ${name}, ${kind}`);
      const { rows, raw } = await benchRecording(app, recording, language, peer);
      const area = `transcribe ${name}, ${kind}`;
      if (unavailableReason !== undefined)
        results.rows.push(skipped(area, "throughput, of faster-whisper", unavailableReason));
      results.rows.push(...rows.map((row) => ({ area, ...row })));
      results.raw[`${name}.${kind}`] = raw;
    }
  } finally {
    await peer?.close();
  }
  return results;
}

/** Clips as turns of a conversation, in one MP3 file. */
function writeTurns(scratchDir: string, language: ClipLanguage): Recording {
  const { samples, ...recording } = longRecording(
    clipsInLanguage(language),
    recordingSec,
    readTurn,
  );
  const path = join(scratchDir, `${language}-turns.mp3`);
  const encoder = openEncoder({ format: "mp3", quality: "standard", sampleRateHz });
  writeFileSync(path, Buffer.concat([encoder.encode(samples), encoder.finish()]));
  encoder.close();
  return { ...recording, path };
}

/** Clips with the silence around them, in one WAV file. */
function writeTalk(scratchDir: string, language: ClipLanguage): Recording {
  const { samples, ...recording } = longRecording(clipsInLanguage(language), recordingSec);
  const path = join(scratchDir, `${language}-talk.wav`);
  writeFileSync(path, wavFile([samples], sampleRateHz));
  return { ...recording, path };
}

async function benchRecording(
  app: ServedApp,
  recording: Recording,
  language: ClipLanguage,
  peer: FasterWhisper | undefined,
): Promise<{ rows: Omit<Row, "area">[]; raw: unknown }> {
  const texts: Record<string, string> = {};
  const hearsay = (name: string, fields: Record<string, string>): (() => Promise<number>) => {
    const transcribe = transcribeOverHttp(app, recording.path, fields);
    return async () => {
      const { text, ms } = await transcribe();
      texts[name] = text;
      return ms;
    };
  };
  const runPeer = (mode: (typeof modes)[number]) => async (): Promise<number> => {
    const { text, ms } = (await peer?.transcribe(recording.path, language, mode)) ?? {
      text: "",
      ms: Number.NaN,
    };
    texts[mode] = text;
    return ms;
  };
  const contenders = {
    given: hearsay("given", { language }),
    detected: hearsay("detected", {}),
    ...(peer && { plain: runPeer("plain"), batched: runPeer("batched") }),
  };
  // Load the models before measuring.
  await contenders.given();
  await contenders.detected();
  const times = await measureInTurns<string>(rounds, contenders);
  const speed = (name: string): number =>
    (1000 * recording.durationSec) / fastest(times[name] ?? []);
  const errorPercent = (name: string): number =>
    100 * wordErrors(recording.text, texts[name] ?? "", writtenWords).rate;
  const peerModes = peer === undefined ? [] : modes;
  const rows: Omit<Row, "area">[] = [
    ...peerModes.map((mode) => ({
      what: `throughput, of faster-whisper base int8, ${mode}`,
      value: speed("given") / speed(mode),
      unit: "×" as const,
      goal: { min: minSpeedups[mode] },
      note: `${speed("given").toFixed(1)}× real time against ${speed(mode).toFixed(1)}×`,
    })),
    {
      what: "time with the language detected, of that with it given",
      value: fastest(times["detected"] ?? []) / fastest(times["given"] ?? []),
      unit: "×",
      goal: { max: maxDetectionFactor },
      note: `${speed("detected").toFixed(1)}× real time`,
    },
    {
      what: "word error rate",
      value: errorPercent("given"),
      unit: "%",
      ...(peer && { goal: { max: Number(Math.min(...modes.map(errorPercent)).toFixed(2)) } }),
      note: `language detected: ${errorPercent("detected").toFixed(2)} %`,
    },
    ...peerModes.map((mode) => ({
      what: `word error rate of faster-whisper, ${mode}`,
      value: errorPercent(mode),
      unit: "%" as const,
    })),
  ];
  return { rows, raw: { durationSec: recording.durationSec, timesMs: times, texts } };
}

export async function benchDetection(app: ServedApp, scratchDir: string): Promise<Results> {
  const area = "detection";
  const what = "time of 60 s of English, of that with the language given";
  if (!hasSharedAudio) return { rows: [skipped(area, what, `no ${sharedAudioDir}`)], raw: {} };
  const { samples } = longRecording(englishClips(), englishSec);
  const wavPath = join(scratchDir, "english.wav");
  writeFileSync(wavPath, wavFile([samples.subarray(0, englishSec * sampleRateHz)], sampleRateHz));
  const timeOf = (fields: Record<string, string>): (() => Promise<number>) => {
    const transcribe = transcribeOverHttp(app, wavPath, fields);
    return async () => (await transcribe()).ms;
  };
  const contenders = { detected: timeOf({}), given: timeOf({ language: "en" }) };
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
        goal: { max: maxDetectionFactor },
        note: `${detected.toFixed(0)} ms against ${given.toFixed(0)} ms`,
      },
    ],
    raw: { detection: { timesMs: times } },
  };
}

/** Sends the file to `whisper-1`. The form is built only once. */
function transcribeOverHttp(
  app: ServedApp,
  path: string,
  fields: Record<string, string>,
): () => Promise<{ text: string; ms: number }> {
  const { contentType, body } = uploadForm(
    { model: "whisper-1", response_format: "text", ...fields },
    readFileSync(path),
    path,
  );
  return async () => {
    const response = await app.post("/audio/transcriptions", contentType, body);
    return { text: response.body.toString("utf8"), ms: response.lastByteMs };
  };
}

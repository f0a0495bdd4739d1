// Ten minutes of speech over the API, compared with the bare engine and with other software.

import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
  englishClips,
  hasSharedAudio,
  longRecording,
  sharedAudioDir,
  telephoneClips,
} from "../support/recordings.ts";
import { wavFile } from "../support/test-audio.ts";
import { wordErrors } from "../support/word-error-rate.ts";
import { fasterWhisperUnavailableReason, startFasterWhisper } from "./peers/faster-whisper.ts";
import { sherpaUnavailableReason, startSherpa } from "./peers/sherpa.ts";
import { startRecognizerWorkers } from "./recognizer-workers.ts";
import { toBatches, cutRecording } from "./cut-recording.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";
import { fastest, measureInTurns } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const area = "transcribe 10 min";
const minSec = 600;
const rounds = 3;
/** The app's own batch size. */
const batchSize = 4;

export async function benchTranscription(app: ServedApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const cores = availableParallelism();
  const recording = longRecording([...englishClips(), ...telephoneClips()], minSec);
  const wavPath = join(scratchDir, "long.wav");
  const pcmPath = join(scratchDir, "long.pcm");
  writeFileSync(wavPath, wavFile([recording.samples], 16_000));
  const segments = await cutRecording(wavPath, pcmPath);
  logProgress(
    `${recording.durationSec.toFixed(0)} s of speech in ${segments.length} segments, ${cores} cores`,
  );

  const { contentType, body } = uploadForm(
    { model: "whisper-1", language: "en", response_format: "text" },
    readFileSync(wavPath),
    "long.wav",
  );
  const bare = await startRecognizerWorkers({
    modulePath: join(import.meta.dirname, "bare-engine.ts"),
    count: cores,
    options: {},
  });
  const sherpaUnavailable = sherpaUnavailableReason();
  const whisperUnavailable = fasterWhisperUnavailableReason();
  const sherpaProcessPool =
    sherpaUnavailable === undefined ? await startSherpa(scratchDir, cores, 1) : undefined;
  const sherpaThreadPool =
    sherpaUnavailable === undefined ? await startSherpa(scratchDir, 1, cores) : undefined;
  const whisper = whisperUnavailable === undefined ? await startFasterWhisper(cores) : undefined;
  const texts: Record<string, string> = {};
  try {
    for (const workers of [bare, sherpaProcessPool, sherpaThreadPool]) await workers?.load(pcmPath);
    const recordText = <Measured extends { text: string; ms: number }>(
      name: string,
      measured: Measured,
    ): number => {
      texts[name] = measured.text;
      return measured.ms;
    };
    const contenders: Record<string, () => Promise<number>> = {
      hearsay: async () => {
        const response = await app.post("/audio/transcriptions", contentType, body);
        return recordText("hearsay", {
          text: response.body.toString("utf8"),
          ms: response.lastByteMs,
        });
      },
      bare: async () => recordText("bare", await bare.transcribe(toBatches(segments, batchSize))),
      ...(sherpaProcessPool && {
        sherpaProcesses: async () =>
          recordText("sherpaProcesses", await sherpaProcessPool.transcribe(toBatches(segments, 1))),
      }),
      ...(sherpaThreadPool && {
        sherpaThreads: async () =>
          recordText("sherpaThreads", await sherpaThreadPool.transcribe(toBatches(segments, 1))),
      }),
      ...(whisper && {
        fasterWhisper: async () =>
          recordText("fasterWhisper", await whisper.transcribe(wavPath, "en", "batched")),
      }),
    };
    // Warm up everything before measuring.
    const warmUp = toBatches(segments.slice(0, 4 * batchSize), batchSize);
    for (const workers of [bare, sherpaProcessPool, sherpaThreadPool])
      await workers?.transcribe(warmUp);
    await app.post("/audio/transcriptions", contentType, body);
    const times = await measureInTurns(rounds, contenders);
    const ms = Object.fromEntries(
      Object.entries(times).map(([name, values]) => [name, fastest(values)]),
    );
    const speed = (name: string): number =>
      (1000 * recording.durationSec) / (ms[name] ?? Number.NaN);
    const rates = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        100 * wordErrors(recording.text, text).rate,
      ]),
    );
    const percent = (what: string, name: string, max?: number): Row => ({
      area,
      what,
      value: rates[name],
      unit: "%",
      ...(max === undefined ? {} : { goal: { max } }),
    });
    const sherpa =
      speed("sherpaProcesses") > speed("sherpaThreads") ? "sherpaProcesses" : "sherpaThreads";
    const comparison = (name: string): string =>
      `${speed("hearsay").toFixed(0)}× real time against ${speed(name).toFixed(0)}×`;
    const rows: Row[] = [
      {
        area,
        what: "throughput, of the bare engine loop",
        value: speed("hearsay") / speed("bare"),
        unit: "×",
        goal: { min: 0.85 },
        note: comparison("bare"),
      },
      whisperUnavailable === undefined
        ? {
            area,
            what: "throughput, of faster-whisper base int8, batched",
            value: speed("hearsay") / speed("fasterWhisper"),
            unit: "×",
            goal: { min: 2 },
            note: comparison("fasterWhisper"),
          }
        : skipped(area, "throughput, of faster-whisper base int8, batched", whisperUnavailable),
      sherpaUnavailable === undefined
        ? {
            area,
            what: "throughput, of sherpa-onnx-node, Moonshine base",
            value: speed("hearsay") / speed(sherpa),
            unit: "×",
            goal: { min: 2 },
            note: comparison(sherpa),
          }
        : skipped(area, "throughput, of sherpa-onnx-node, Moonshine base", sherpaUnavailable),
      percent("word error rate", "hearsay", 10),
      ...(whisperUnavailable === undefined
        ? [percent("word error rate of faster-whisper", "fasterWhisper")]
        : []),
      ...(sherpaUnavailable === undefined
        ? [percent("word error rate of sherpa-onnx-node", sherpa)]
        : []),
    ];
    return {
      rows,
      raw: {
        transcription: {
          durationSec: recording.durationSec,
          segments: segments.length,
          timesMs: times,
          wordErrorPercent: rates,
        },
      },
    };
  } finally {
    await Promise.all(
      [bare, sherpaProcessPool, sherpaThreadPool, whisper].map((process) => process?.close()),
    );
  }
}

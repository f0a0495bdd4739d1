// Ten minutes of speech over the API, against the bare engine and against what others would use instead.

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
import { wavFile } from "../support/sounds.ts";
import { wordErrors } from "../support/word-error-rate.ts";
import { fasterWhisperMissing, startFasterWhisper } from "./peers/faster-whisper.ts";
import { sherpaMissing, startSherpa } from "./peers/sherpa.ts";
import { startPieceWorkers } from "./piece-workers.ts";
import { batchesOf, cutRecording } from "./pieces.ts";
import { type Results, type Row, skipped, tell } from "../support/report.ts";
import { fastest, inTurns } from "./rounds.ts";
import { type ServedApp, uploadForm } from "./served-app.ts";

const area = "hear 10 min";
const minSec = 600;
const rounds = 3;
/** As many as the app decodes together. */
const batchSize = 4;

export async function benchHearing(app: ServedApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const cores = availableParallelism();
  const recording = longRecording([...englishClips(), ...telephoneClips()], minSec);
  const wavPath = join(scratchDir, "long.wav");
  const pcmPath = join(scratchDir, "long.pcm");
  writeFileSync(wavPath, wavFile([recording.samples], 16_000));
  const pieces = await cutRecording(wavPath, pcmPath);
  tell(
    `${recording.durationSec.toFixed(0)} s of speech in ${pieces.length} pieces, ${cores} cores`,
  );

  const { contentType, body } = uploadForm(
    { model: "whisper-1", language: "en", response_format: "text" },
    readFileSync(wavPath),
    "long.wav",
  );
  const bare = await startPieceWorkers({
    modulePath: join(import.meta.dirname, "bare-engine.ts"),
    count: cores,
    options: {},
  });
  const noSherpa = sherpaMissing();
  const noWhisper = fasterWhisperMissing();
  const manySherpas = noSherpa === undefined ? await startSherpa(scratchDir, cores, 1) : undefined;
  const oneSherpa = noSherpa === undefined ? await startSherpa(scratchDir, 1, cores) : undefined;
  const whisper = noWhisper === undefined ? await startFasterWhisper(cores) : undefined;
  const texts: Record<string, string> = {};
  try {
    for (const workers of [bare, manySherpas, oneSherpa]) await workers?.load(pcmPath);
    const keep = <Heard extends { text: string; ms: number }>(
      name: string,
      heard: Heard,
    ): number => {
      texts[name] = heard.text;
      return heard.ms;
    };
    const contenders: Record<string, () => Promise<number>> = {
      hearsay: async () => {
        const answer = await app.post("/audio/transcriptions", contentType, body);
        return keep("hearsay", { text: answer.body.toString("utf8"), ms: answer.lastByteMs });
      },
      bare: async () => keep("bare", await bare.hear(batchesOf(pieces, batchSize))),
      ...(manySherpas && {
        sherpaProcesses: async () =>
          keep("sherpaProcesses", await manySherpas.hear(batchesOf(pieces, 1))),
      }),
      ...(oneSherpa && {
        sherpaThreads: async () =>
          keep("sherpaThreads", await oneSherpa.hear(batchesOf(pieces, 1))),
      }),
      ...(whisper && {
        fasterWhisper: async () =>
          keep("fasterWhisper", await whisper.hear(wavPath, "en", "batched")),
      }),
    };
    // Everything is warm before anything counts.
    const warmUp = batchesOf(pieces.slice(0, 4 * batchSize), batchSize);
    for (const workers of [bare, manySherpas, oneSherpa]) await workers?.hear(warmUp);
    await app.post("/audio/transcriptions", contentType, body);
    const times = await inTurns(rounds, contenders);
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
    const versus = (name: string): string =>
      `${speed("hearsay").toFixed(0)}× real time against ${speed(name).toFixed(0)}×`;
    const rows: Row[] = [
      {
        area,
        what: "throughput, of the bare engine loop",
        value: speed("hearsay") / speed("bare"),
        unit: "×",
        goal: { min: 0.85 },
        note: versus("bare"),
      },
      noWhisper === undefined
        ? {
            area,
            what: "throughput, of faster-whisper base int8, batched",
            value: speed("hearsay") / speed("fasterWhisper"),
            unit: "×",
            goal: { min: 2 },
            note: versus("fasterWhisper"),
          }
        : skipped(area, "throughput, of faster-whisper base int8, batched", noWhisper),
      noSherpa === undefined
        ? {
            area,
            what: "throughput, of sherpa-onnx-node, Moonshine base",
            value: speed("hearsay") / speed(sherpa),
            unit: "×",
            goal: { min: 2 },
            note: versus(sherpa),
          }
        : skipped(area, "throughput, of sherpa-onnx-node, Moonshine base", noSherpa),
      percent("word error rate", "hearsay", 10),
      ...(noWhisper === undefined
        ? [percent("word error rate of faster-whisper", "fasterWhisper")]
        : []),
      ...(noSherpa === undefined ? [percent("word error rate of sherpa-onnx-node", sherpa)] : []),
    ];
    return {
      rows,
      raw: {
        hearing: {
          durationSec: recording.durationSec,
          pieces: pieces.length,
          timesMs: times,
          wordErrorPercent: rates,
        },
      },
    };
  } finally {
    await Promise.all([bare, manySherpas, oneSherpa, whisper].map((process) => process?.close()));
  }
}

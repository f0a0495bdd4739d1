// Models that sherpa-onnx runs, in real child processes of the pool: tiny ones of the layout of real ones.

import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { floatToPcm } from "../../main/audio/codec/pcm.ts";
import { readPcmFile } from "../../main/audio/codec/pcm-file.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import type { TranscribeOptions } from "../../main/engines/engine.ts";
import { createPool, type PoolJob } from "../../main/engines/pool/pool.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import {
  createLauncher,
  engineModule,
  neverAborted,
  quietLog,
  sherpaModule,
} from "../support/app.ts";
import { openTestFolder } from "../support/test-data.ts";
import { writeParakeet, writePiper, writeSenseVoice } from "../support/tiny-sherpa-models.ts";

async function openJob(): Promise<{ job: PoolJob; dir: string; pids: () => number[] }> {
  const dir = await openTestFolder();
  const launchers = {
    onnxruntime: createLauncher(engineModule, dir),
    sherpa: createLauncher(sherpaModule, dir),
  };
  const pool = createPool(
    (runtime) => launchers[runtime](),
    { size: 1, idleMs: 60_000, taskTimeoutMs: 30_000, supportDir: join(dir, "engines") },
    quietLog,
  );
  onTestFinished(() => pool.close());
  return { job: pool.job(neverAborted()), dir, pids: pool.pids };
}

/** Transcribes noise: the tiny models say the same whatever they hear. */
async function transcribe(
  { job, dir }: { job: PoolJob; dir: string },
  model: InstalledModel,
  { sec = 2, ...options }: Partial<TranscribeOptions> & { sec?: number } = {},
) {
  const pcmPath = join(dir, "speech.pcm");
  const samples = Float32Array.from({ length: sec * 16_000 }, (_, at) => 0.1 * Math.sin(at * at));
  await writeFile(pcmPath, floatToPcm(samples));
  const [segments = []] = await job.run("transcribe", {
    model,
    pcmPath,
    speechSegments: [
      { fromSec: 0, toSec: sec, startSec: 0, endSec: sec, voicedSec: sec, voiceProb: 0.9 },
    ],
    options: { task: "transcribe", temperature: 0, wordTimes: false, ...options },
  });
  return segments;
}

it("transcribes with SenseVoice, which finds the language and the times of words", async () => {
  const test = await openJob();
  const model = writeSenseVoice(join(test.dir, "model"));
  expect(await transcribe(test, model, { wordTimes: true })).toMatchObject([
    {
      text: "good morning",
      language: "en",
      tokens: [5, 6, 7],
      words: [
        { word: "good", startSec: expect.closeTo(0.06) as number },
        { word: "morning", startSec: expect.closeTo(0.18) as number },
      ],
    },
  ]);
  expect(
    await test.job.run("detect-language", {
      model,
      pcmPath: join(test.dir, "speech.pcm"),
      speechSegments: [
        { fromSec: 0, toSec: 2, startSec: 0, endSec: 2, voicedSec: 2, voiceProb: 0.9 },
      ],
    }),
  ).toEqual([{ language: "en", probability: 1 }]);
});

it("cuts what is longer than a model hears at once, and pads what is shorter", async () => {
  const test = await openJob();
  const model = writeSenseVoice(join(test.dir, "model"));
  const parts = await transcribe(test, model, { sec: 65 });
  expect(parts.map(({ text }) => text)).toEqual(Array(3).fill("good morning"));
  expect(parts[1]?.startSec).toBe(parts[0]?.endSec);
  expect(parts[2]?.endSec).toBe(65);
  expect(await transcribe(test, model, { sec: 0.05 })).toHaveLength(1);
});

it("transcribes with Parakeet, whose tokens have durations and may be bytes", async () => {
  const test = await openJob();
  const [segment] = await transcribe(test, writeParakeet(join(test.dir, "model")), {
    wordTimes: true,
  });
  expect(segment?.text).toBe("good morning café");
  expect(segment?.words).toMatchObject([
    { word: "good", startSec: 0, endSec: expect.closeTo(0.16) as number },
    { word: "morning", startSec: expect.closeTo(0.16) as number },
    { word: "café", startSec: expect.closeTo(0.48) as number },
  ]);
});

it("refuses what a model cannot do", async () => {
  const test = await openJob();
  const model = writeParakeet(join(test.dir, "model"));
  await expect(transcribe(test, model, { task: "translate" })).rejects.toMatchObject({
    sent: { id: "model.noTranslation" },
  });
  await expect(transcribe(test, model, { language: "fr" })).rejects.toMatchObject({
    sent: { id: "model.otherLanguages" },
  });
  const untimed = { ...model, capabilities: { ...model.capabilities, wordTimes: false } };
  await expect(transcribe(await openJob(), untimed, { wordTimes: true })).rejects.toMatchObject({
    sent: { id: "model.noWordTimes" },
  });
});

it("refuses a model with a changed or missing file, and goes on", async () => {
  const test = await openJob();
  const model = writeSenseVoice(join(test.dir, "model"));
  await writeFile(join(model.dir, "tokens.txt"), "other 0\n");
  await expect(transcribe(test, model)).rejects.toMatchObject({ sent: { id: "model.damaged" } });
  const tokensLess = { ...model, files: model.files.slice(0, 1) };
  await expect(transcribe(test, tokensLess)).rejects.toMatchObject({
    sent: { id: "model.incomplete" },
  });
  expect(await transcribe(test, writeSenseVoice(join(test.dir, "model")))).toHaveLength(1);
});

it("speaks with a Piper voice as its repository has it", async () => {
  const { job, dir } = await openJob();
  const model = writePiper(join(dir, "model"), ["anna", "bert"]);
  const speak = async (text: string, voice: string) => {
    const pcmPath = join(dir, "speech.pcm");
    const options = { voice, speed: 1, quality: "standard" } as const;
    const { durationSec } = await job.run("synthesize", { model, text, options, pcmPath });
    return { durationSec, samples: await readPcmFile(pcmPath) };
  };
  const short = await speak("Good morning.", "anna");
  expect(Math.max(...short.samples)).toBeCloseTo(0.25, 1);
  expect((await speak("Good morning, good morning to you.", "1")).durationSec).toBeGreaterThan(
    short.durationSec + 0.2,
  );
  expect((await speak("…", "bert")).durationSec).toBe(0);
  await expect(speak("Good morning.", "carl")).rejects.toMatchObject({
    sent: { id: "voice.notInEngine" },
  });
  await expect(job.run("phonemes", { model, lines: ["Good."] })).rejects.toMatchObject({
    sent: { id: "model.noPhonemes" },
  });
});

it("runs models of both libraries side by side, each in a process of its own", async () => {
  const test = await openJob();
  const phonemes = () =>
    test.job.run("phonemes", { model: shippedModel("hibari"), lines: ["Good morning."] });
  const [[spoken], heard] = await Promise.all([
    phonemes(),
    transcribe(test, writeSenseVoice(join(test.dir, "model"))),
  ]);
  expect(spoken).toContain("mˈɔɹnɪŋ");
  expect(heard).toHaveLength(1);
  // The limit of one process holds: the one that was free left.
  expect(test.pids()).toHaveLength(1);
});

// Models that sherpa-onnx runs, in real child processes of the pool: tiny ones of the layout of real ones.

import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { floatToPcm } from "../../main/audio/codec/pcm.ts";
import { readPcmFile } from "../../main/audio/codec/pcm-file.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import { type TranscribeOptions, ttsSampleRateHz } from "../../main/engines/engine.ts";
import { createPool, type PoolJob } from "../../main/engines/pool/pool.ts";
import { loudnessLufs } from "../../main/engines/tts/loudness.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import {
  createLauncher,
  engineModule,
  neverAborted,
  quietLog,
  sherpaModule,
} from "../support/app.ts";
import { openTestFolder } from "../support/test-data.ts";
import {
  writeModel,
  writeParakeet,
  writePiper,
  writeSenseVoice,
} from "../support/tiny-sherpa-models.ts";
import { writeCanary, writeZipformer } from "../support/tiny-sherpa-recognizers.ts";
import { writeStreamingZipformer } from "../support/tiny-streaming-zipformer.ts";
import { writeFst } from "../support/tiny-fst.ts";
import { writeKitten, writeKokoro, writeMatcha, writeVits } from "../support/tiny-sherpa-voices.ts";

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

/** Transcribes noise, after silence if wanted: most of the tiny models return the same text for any audio. */
async function transcribe(
  { job, dir }: { job: PoolJob; dir: string },
  model: InstalledModel,
  {
    sec = 2,
    silentSec = 0,
    ...options
  }: Partial<TranscribeOptions> & { sec?: number; silentSec?: number } = {},
) {
  const pcmPath = join(dir, "speech.pcm");
  const samples = Float32Array.from({ length: sec * 16_000 }, (_, at) => 0.1 * Math.sin(at * at));
  samples.fill(0, 0, silentSec * 16_000);
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

it("says that a model cannot be loaded whose files end the process", async () => {
  const test = await openJob();
  const content = { "model.int8.onnx": "no graph", "tokens.txt": "<blank> 0\n" };
  const entry = { id: "broken", family: "sense-voice", kind: "speech-to-text" } as const;
  await expect(
    transcribe(test, writeModel(join(test.dir, "model"), content, entry)),
  ).rejects.toMatchObject({ key: "model_unusable", sent: { id: "model.notLoadable" } });
}, 60_000);

it("transcribes with SenseVoice, which finds the language and the times of words", async () => {
  const test = await openJob();
  const model = writeSenseVoice(join(test.dir, "model"), 0, "yue");
  expect(await transcribe(test, model, { wordTimes: true, likelyLanguage: "zh" })).toMatchObject([
    {
      text: "good morning",
      language: "yue",
      tokens: [5, 6, 7],
      words: [
        { word: "good", startSec: expect.closeTo(0.06) as number },
        { word: "morning", startSec: expect.closeTo(0.18) as number },
      ],
    },
  ]);
  // It also reports that nobody speaks, which is no language.
  const silent = writeSenseVoice(join(test.dir, "silent"), 0, "nospeech");
  expect(await transcribe(test, { ...silent, id: "silent" })).toMatchObject([{ language: "" }]);
});

it("cuts audio that is longer than a model takes at once, and pads shorter audio", async () => {
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

it("transcribes with Zipformer, which reports when its tokens start", async () => {
  const test = await openJob();
  const [segment] = await transcribe(test, writeZipformer(join(test.dir, "model")), {
    wordTimes: true,
  });
  expect(segment).toMatchObject({
    text: "good morning",
    language: "en",
    tokens: [3, 4, 5],
    words: [
      { word: "good", startSec: expect.closeTo(0.08) as number },
      { word: "morning", startSec: expect.closeTo(0.2) as number },
    ],
  });
});

it("transcribes with a streaming Zipformer, whose last words come out in silence after the speech", async () => {
  const test = await openJob();
  const model = writeStreamingZipformer(join(test.dir, "model"));
  const [segment] = await transcribe(test, model, { sec: 3, wordTimes: true });
  expect(segment).toMatchObject({
    // Without silence after them, the last two would wait for the rest of their chunks.
    text: "one two three four five six seven",
    language: "en",
    tokens: [3, 4, 5, 6, 7, 8, 9],
  });
  const starts = segment?.words?.map(({ startSec }) => startSec) ?? [];
  expect(starts.slice(0, 3)).toEqual(
    [0.16, 0.64, 1.12].map((sec) => expect.closeTo(sec) as number),
  );
  expect(segment?.words?.at(-1)).toMatchObject({ word: "seven", startSec: 3, endSec: 3 });
  expect(segment?.words?.[0]?.probability).toBeGreaterThan(0.9);
  expect(await transcribe(test, model, { sec: 0.05 })).toHaveLength(1);
  expect((await transcribe(test, model, { sec: 65 }))[0]?.endSec).toBe(65);
});

it("recognizes more words in growing speech with a streaming Zipformer, each sample once", async () => {
  const test = await openJob();
  const model = writeStreamingZipformer(join(test.dir, "model"));
  const draft = async (id: string, sec: number, { isOver = false, silentSec = 0 } = {}) => {
    const options = { isDraft: true, utterance: { id, isOver }, sec, silentSec };
    return (await transcribe(test, model, options))[0]?.text ?? "";
  };
  expect(await draft("first", 0.4)).toBe("");
  expect(await draft("first", 1.3)).toBe("one two");
  expect(await draft("first", 1.3)).toBe("one two");
  // Other speech, of which the process knows nothing, as after a restart.
  expect(await draft("second", 2.2)).toBe("one two three four");
  // Samples that it has processed are not processed again, whatever they may be now.
  expect(await draft("first", 2.2, { silentSec: 1.3 })).toBe("one two three four");
  expect(await draft("third", 2.2, { silentSec: 1.3 })).toBe("three four");
  expect(await draft("first", 3, { isOver: true })).toBe("one two three four five six seven");
  // It is over, so that this is other speech; and speech that was cut earlier.
  expect(await draft("first", 2.2, { silentSec: 1.3 })).toBe("three four");
  expect(await draft("second", 1.3, { isOver: true })).toBe("one two three");
});

it("transcribes and translates with Canary, which has to know the language", async () => {
  const test = await openJob();
  const model = writeCanary(join(test.dir, "model"));
  const textOf = async (options: Partial<TranscribeOptions>) =>
    (await transcribe(test, model, options)).map(({ text, language }) => [text, language]);
  expect(await textOf({ language: "en" })).toEqual([["good morning", "en"]]);
  expect(await textOf({ likelyLanguage: "de" })).toEqual([["guten Morgen", "de"]]);
  expect(await textOf({ language: "de", task: "translate" })).toEqual([
    ["good morning said in German", "de"],
  ]);
  const [segment] = await transcribe(test, model, { language: "en", sec: 90, wordTimes: true });
  expect(segment?.endSec).toBeLessThan(40);
  expect(segment?.words).toBeUndefined();
  await expect(transcribe(test, model)).rejects.toMatchObject({
    sent: { id: "model.languageNeeded" },
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
  const synthesize = async (text: string, voice: string) => {
    const pcmPath = join(dir, "speech.pcm");
    const options = { voice, speed: 1, quality: "standard" } as const;
    const { durationSec } = await job.run("synthesize", { model, text, options, pcmPath });
    return { durationSec, samples: await readPcmFile(pcmPath) };
  };
  const short = await synthesize("Good morning.", "anna");
  expect(loudnessLufs(short.samples, ttsSampleRateHz)).toBeCloseTo(-20, 0);
  expect((await synthesize("Good morning, good morning to you.", "1")).durationSec).toBeGreaterThan(
    short.durationSec + 0.2,
  );
  expect((await synthesize("…", "bert")).durationSec).toBe(0);
  await expect(synthesize("Good morning.", "carl")).rejects.toMatchObject({
    sent: { id: "voice.notInEngine" },
  });
  await expect(job.run("phonemes", { model, lines: ["Good."] })).rejects.toMatchObject({
    sent: { id: "model.noPhonemes" },
  });
});

/** Of the tone before the pause. */
function tonePitchHz(samples: Float32Array): number {
  const end = samples.findLastIndex((sample) => Math.abs(sample) > 1e-3);
  const rises = samples
    .subarray(0, end)
    .filter((sample, at) => sample > 0 && samples[at - 1]! <= 0);
  return (rises.length * ttsSampleRateHz) / end;
}

/** Synthesizes a sentence; speed 1 by default. */
async function speakSentence(
  { job, dir }: { job: PoolJob; dir: string },
  model: InstalledModel,
  voice: string,
  speed = 1,
  text = "Good morning to all of you.",
) {
  const pcmPath = join(dir, "speech.pcm");
  const options = { voice, speed, quality: "standard" } as const;
  const { durationSec } = await job.run("synthesize", { model, text, options, pcmPath });
  const samples = await readPcmFile(pcmPath);
  return {
    durationSec,
    lufs: loudnessLufs(samples, ttsSampleRateHz),
    pitchHz: tonePitchHz(samples),
  };
}

it("speaks with Kitten, whose speakers have names", async () => {
  const test = await openJob();
  const model = writeKitten(join(test.dir, "model"), ["expr-voice-2-m", "expr-voice-2-f"]);
  const first = await speakSentence(test, model, "expr-voice-2-m");
  expect(first.durationSec).toBeGreaterThan(0.5);
  const second = await speakSentence(test, model, "expr-voice-2-f");
  expect(second.pitchHz / first.pitchHz).toBeCloseTo(2, 0);
  // The second is twice as loud as it comes.
  expect([first.lufs, second.lufs].map(Math.round)).toEqual([-20, -20]);
  expect((await speakSentence(test, model, "0", 1.5)).durationSec).toBeLessThan(first.durationSec);
  const voices = ["first", "second"].map((id) => ({ id, name: id, character: "", language: "en" }));
  const listed = await speakSentence(test, { ...model, id: "listed", voices }, "second");
  expect(listed.pitchHz).toBeCloseTo(second.pitchHz, 0);
  await expect(speakSentence(test, model, "Bella")).rejects.toMatchObject({
    sent: { id: "voice.notInEngine" },
  });
});

it("speaks with Matcha and its vocoder", async () => {
  const test = await openJob();
  const model = writeMatcha(join(test.dir, "model"));
  const natural = await speakSentence(test, model, "alloy");
  expect(natural.durationSec).toBeGreaterThan(0.5);
  expect(Math.round(natural.lufs)).toBe(-20);
  expect((await speakSentence(test, model, "alloy", 1.5)).durationSec).toBeLessThan(
    natural.durationSec,
  );
  const files = model.files.filter(({ name }) => !name.startsWith("vocos"));
  await expect(
    speakSentence(test, { ...model, id: "no-vocoder", files }, "alloy"),
  ).rejects.toMatchObject({
    sent: { id: "model.incomplete" },
  });
});

/** A rule that leaves out the letters. */
const leavingOut = (letters: string): Uint8Array =>
  writeFst(new Map(Array.from(Buffer.from(letters), (byte) => [byte, 0])));

it("speaks with a Chinese voice that has a lexicon, by its rules", async () => {
  const test = await openJob();
  const durationOf = async (model: InstalledModel, text: string): Promise<number> =>
    (await speakSentence(test, model, "alloy", 1, text)).durationSec;
  const plain = writeVits(join(test.dir, "plain"));
  const short = await durationOf(plain, "你我");
  expect(await durationOf(plain, "你我你我")).toBeGreaterThan(short);
  // The two have no byte in common. An older rule is not used beside others.
  const rules = { "number.fst": leavingOut("我"), "rule.fst": leavingOut("你我") };
  const model = { ...writeVits(join(test.dir, "ruled"), rules), id: "ruled" };
  expect(await durationOf(model, "你我你我")).toBe(await durationOf(plain, "你你"));
});

it("speaks with Matcha by its rules", async () => {
  const test = await openJob();
  const plain = writeMatcha(join(test.dir, "plain"));
  const ruled = writeMatcha(join(test.dir, "ruled"), { "date-zh.fst": leavingOut("x") });
  const speak = (model: InstalledModel, text: string) =>
    speakSentence(test, model, "alloy", 1, text);
  const expected = await speak(plain, "Good morning.");
  expect(await speak({ ...ruled, id: "ruled" }, "Goodxxx xmorningx.")).toEqual(expected);
});

it("keeps Kokoro's Chinese rules from its other speakers", async () => {
  const test = await openJob();
  const model = writeKokoro(join(test.dir, "model"), ["af_heart", "zf_xiaoni"], {
    "number-zh.fst": leavingOut("x"),
  });
  const durationOf = async (voice: string): Promise<number> =>
    (await speakSentence(test, model, voice, 1, "sing x sing x sing")).durationSec;
  const english = await durationOf("af_heart");
  expect(await durationOf("zf_xiaoni")).toBeLessThan(english);
  expect(await durationOf("af_heart")).toBe(english);
});

it("runs models of both libraries side by side, each in a process of its own", async () => {
  const test = await openJob();
  const phonemes = () =>
    test.job.run("phonemes", { model: shippedModel("hibari"), lines: ["Good morning."] });
  const [[phonemeLines], segments] = await Promise.all([
    phonemes(),
    transcribe(test, writeSenseVoice(join(test.dir, "model"))),
  ]);
  expect(phonemeLines).toContain("mˈɔɹnɪŋ");
  expect(segments).toHaveLength(1);
  // The limit of one process still applies: the idle one was ended.
  expect(test.pids()).toHaveLength(1);
});

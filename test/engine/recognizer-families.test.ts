// What every recognizer has in common: long recordings, times of words, the language, ranges that fail, and text
// while it is transcribed. Each family with a real engine: those of the app, and tiny ones of the layout of real ones.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { joinSamples } from "../../main/audio/codec/pcm.ts";
import type { InstalledModel } from "../../main/contract/models.ts";
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../main/contract/speech.ts";
import type { TaskInput } from "../../main/engines/pool/protocol.ts";
import { shippedModel, shippedModels } from "../../main/models/shipped-models.ts";
import {
  neverAborted,
  openLocalChannel,
  type TestChannelOptions,
  transcriptionJob,
  withInjectedFaults,
} from "../support/app.ts";
import { localModels } from "../support/local-models.ts";
import { silence, wavFile } from "../support/test-audio.ts";
import {
  openFolder,
  openTestFolder,
  resampleTo16kHz,
  synthesizeSamples,
} from "../support/test-data.ts";
import { writeParakeet, writeSenseVoice } from "../support/tiny-sherpa-models.ts";
import { writeCanary, writeZipformer } from "../support/tiny-sherpa-recognizers.ts";
import { writeStreamingZipformer } from "../support/tiny-streaming-zipformer.ts";
import { writeFile } from "node:fs/promises";

const folder = await openFolder();
const recording = join(folder.path, "long.wav");
/** Longer than any family transcribes at once, and than the first windows of voice activity detection. */
const sentences = 14;
const pauseSec = 2;
let durationSec: number;

beforeAll(async () => {
  const sentence = await resampleTo16kHz(
    await synthesizeSamples("Good morning, everybody. How are you all today?"),
  );
  const pause = silence(pauseSec, 16_000);
  const samples = joinSamples(Array.from({ length: sentences }, () => [sentence, pause]).flat());
  durationSec = samples.length / 16_000;
  await writeFile(recording, wavFile([samples], 16_000));
});
afterAll(() => folder.remove());

const families: Readonly<Record<string, (dir: string) => InstalledModel>> = {
  whisper: () => shippedModel("whisper-base"),
  moonshine: () => shippedModel("moonshine-base"),
  parakeet: writeParakeet,
  "sense-voice": writeSenseVoice,
  canary: writeCanary,
  zipformer: writeZipformer,
  "zipformer-streaming": writeStreamingZipformer,
};

async function open(family: string, options: TestChannelOptions = {}) {
  const model = families[family]?.(await openTestFolder()) as InstalledModel;
  const others = shippedModels().filter(({ id }) => id !== model.id);
  const { channel, close } = await openLocalChannel({
    local: localModels([...others, model]),
    ...options,
  });
  onTestFinished(close);
  const transcribe = async (job: Partial<TranscriptionJob> = {}) => {
    const events: TranscriptionEvent[] = [];
    const request = transcriptionJob(recording, { model: model.id, ...job });
    for await (const event of channel.transcribe(request, neverAborted())) events.push(event);
    const last = events.at(-1);
    if (last?.type !== "done") throw new Error("the transcription did not end");
    return { events, transcript: last.transcript };
  };
  return { model, transcribe };
}

const startsOf = ({ segments }: Transcript): number[] => segments.map(({ startSec }) => startSec);

describe.each(Object.keys(families))("%s", (family) => {
  it("transcribes a long recording in order, with word times if it declares them, and reports its language", async () => {
    const { model, transcribe } = await open(family);
    const { events, transcript } = await transcribe({ wordTimes: true, isBestEffort: true });
    expect(transcript.language).toBe("english");
    expect(transcript.failed).toEqual([]);
    expect(transcript.durationSec).toBeCloseTo(durationSec, 0);
    const starts = startsOf(transcript);
    expect(starts.length).toBeGreaterThanOrEqual(sentences);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(starts.at(-1)).toBeGreaterThan(durationSec * 0.9);
    for (const { startSec, endSec, words, language } of transcript.segments) {
      expect(language).toBe("en");
      expect(words !== undefined).toBe(model.capabilities.wordTimes);
      for (const word of words ?? []) {
        expect(word.startSec).toBeGreaterThanOrEqual(startSec - 0.5);
        expect(word.endSec).toBeGreaterThanOrEqual(word.startSec);
        expect(word.endSec).toBeLessThanOrEqual(endSec + 0.5);
      }
    }
    // Text comes while the rest is transcribed.
    const firstSegment = events.findIndex(({ type }) => type === "segment");
    const lastProgress = events.findLastIndex(({ type }) => type === "progress");
    expect(firstSegment).toBeLessThan(lastProgress - sentences / 2);
  }, 120_000);

  it("reports the range at which its process crashes, and has all others", async () => {
    const lost = 40;
    const { transcribe } = await open(family, {
      wrap: (launch) =>
        withInjectedFaults(launch, ({ name, input }) =>
          name === "transcribe" &&
          (input as TaskInput<"transcribe">).speechSegments.some(
            ({ fromSec, toSec }) => fromSec <= lost && toSec >= lost - pauseSec - 0.5,
          )
            ? "crash"
            : undefined,
        ),
    });
    const { events, transcript } = await transcribe({ language: "en" });
    expect(transcript.failed.length).toBeGreaterThan(0);
    for (const range of transcript.failed) {
      expect(range).toMatchObject({ id: "engine.partFailed" });
      expect(Math.abs(range.startSec - lost)).toBeLessThan(8);
    }
    expect(events.filter(({ type }) => type === "failed")).toHaveLength(transcript.failed.length);
    expect(startsOf(transcript).length + transcript.failed.length).toBeGreaterThanOrEqual(
      sentences,
    );
  }, 120_000);
});

it("reports the language that SenseVoice recognized, not the one that another model detects", async () => {
  const dir = await openTestFolder();
  const model = writeSenseVoice(dir, 0, "yue");
  const { channel, close } = await openLocalChannel({
    local: localModels([...shippedModels(), model]),
  });
  onTestFinished(close);
  const languageOf = async (job: Partial<TranscriptionJob>) => {
    const request = transcriptionJob(recording, { model: model.id, ...job });
    for await (const event of channel.transcribe(request, neverAborted()))
      if (event.type === "done") return event.transcript.language;
    return undefined;
  };
  expect(await languageOf({})).toBe("cantonese");
  expect(await languageOf({ language: "ja" })).toBe("japanese");
}, 60_000);

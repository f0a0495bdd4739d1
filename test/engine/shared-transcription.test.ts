// A long file transcribed by the real engines together with helper channels that respond fast, late, wrongly or never.
// The helpers locate their range in the recording by its samples, and return what the engines alone had transcribed
// there.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { TranscriptionHelper } from "../../main/inference/transcription-helper.ts";
import { createLocalChannel } from "../../main/inference/local-channel.ts";
import {
  type Transcript,
  type TranscriptSegment,
  type TranscriptionJob,
} from "../../main/contract/speech.ts";
import { voices } from "../../main/engines/tts/hibari/voices.ts";
import { listInstalledModels } from "../../main/models/installed-models.ts";
import { modelBundle } from "../../main/models/store.ts";
import {
  transcriptionJob,
  neverAborted,
  openLocalChannel,
  type TestChannel,
  collectTranscript,
} from "../support/app.ts";
import { roundTripText, tenSentences } from "../support/english-texts.ts";
import { wavFile } from "../support/test-audio.ts";
import {
  resampleTo16kHz,
  openFolder,
  normalizeWords,
  synthesizeSamples,
} from "../support/test-data.ts";
import { wordErrors } from "../support/word-error-rate.ts";

const text = `${tenSentences} ${roundTripText}`;
const folder = await openFolder();
const recording = join(folder.path, "a long story é ש 日本.wav");
let opened: TestChannel;
let sound: Buffer;
let alone: Transcript;

beforeAll(async () => {
  opened = await openLocalChannel();
  await writeFile(
    recording,
    wavFile([await resampleTo16kHz(await synthesizeSamples(text))], 16_000),
  );
  sound = (await readFile(recording)).subarray(44);
  alone = await collectTranscript(
    opened.channel.transcribe(transcriptionJob(recording, { wordTimes: true }), neverAborted()),
  );
});
afterAll(async () => {
  await opened.close();
  await folder.remove();
});
afterEach(async () => {
  const left = (await readdir(folder.path)).filter((name) => name !== basename(recording));
  if (left.length > 0) throw new Error(`the job left ${left.join()} behind`);
});

type Part = { job: TranscriptionJob; segments: TranscriptSegment[]; signal: AbortSignal };
type Told = TranscriptionHelper & { readonly asked: TranscriptionJob[]; isAborted(): boolean };

/** The engines' own segments for a range of the recording, with times relative to the range. */
async function knownPart(path: string): Promise<TranscriptSegment[]> {
  const samples = (await readFile(path)).subarray(44);
  const fromSec = sound.indexOf(samples) / 32_000;
  const toSec = fromSec + samples.length / 32_000;
  const back = (sec: number): number => sec - fromSec;
  return alone.segments
    .filter(({ startSec, endSec }) => startSec >= fromSec && endSec <= toSec)
    .map((one) => ({
      ...one,
      startSec: back(one.startSec),
      endSec: back(one.endSec),
      words: (one.words ?? []).map((word) => ({
        ...word,
        startSec: back(word.startSec),
        endSec: back(word.endSec),
      })),
    }));
}

function helper(
  name: string,
  answer: (part: Part) => Promise<TranscriptSegment[]> = async ({ segments }) => segments,
): Told {
  const asked: TranscriptionJob[] = [];
  let lastSignal: AbortSignal | undefined;
  return {
    name,
    maxConcurrent: 2,
    asked,
    isAborted: () => lastSignal?.aborted === true,
    async *transcribe(job, signal) {
      asked.push(job);
      lastSignal = signal;
      const segments = await answer({
        job,
        segments: await knownPart(job.mediaPath),
        signal,
      });
      yield {
        type: "done",
        transcript: {
          language: "",
          durationSec: 0,
          text: segments.map((one) => one.text).join(" "),
          segments,
          failed: [],
        },
      };
    },
  };
}

async function transcribeWith(
  helpers: readonly TranscriptionHelper[],
  more: Partial<TranscriptionJob> = {},
): Promise<Transcript> {
  const channel = createLocalChannel({
    pool: opened.pool,
    models: listInstalledModels(),
    vad: modelBundle("silero-vad"),
    voices,
    tempDir: () => folder.path,
    helpers: () => helpers,
  });
  const segments: TranscriptSegment[] = [];
  for await (const event of channel.transcribe(transcriptionJob(recording, more), neverAborted())) {
    if (event.type === "segment") segments.push(event.segment);
    if (event.type !== "done") continue;
    expect(event.transcript.segments).toEqual(segments);
    return event.transcript;
  }
  throw new Error("no transcript came");
}

const spans = ({ segments }: Transcript): string[] =>
  segments.map(({ startSec, endSec }) => `${startSec.toFixed(2)}-${endSec.toFixed(2)}`);

/** Different batches may change the spelling of a word, but not the ranges. */
function expectWhole(transcript: Transcript): void {
  expect(transcript.failed).toEqual([]);
  expect(spans(transcript)).toEqual(spans(alone));
  expect(wordErrors(normalizeWords(alone.text), transcript.text).rate).toBeLessThan(0.02);
}

describe("a long file", () => {
  it("is more than a minute of speech that the engines understand", () => {
    expect(alone.durationSec).toBeGreaterThan(80);
    expect(wordErrors(text, alone.text).rate).toBeLessThan(0.06);
    expect("helpers" in alone).toBe(false);
  });

  it("is also sent to a helper, which receives the detected language and is named in the result", async () => {
    const cloud = helper("cloud");
    const transcript = await transcribeWith([cloud], { wordTimes: true });
    expectWhole(transcript);
    expect(transcript).toMatchObject({
      language: "english",
      helpers: [{ channel: "cloud" }],
      durationSec: alone.durationSec,
    });
    expect(cloud.asked[0]).toMatchObject({ language: "en", task: "transcribe", wordTimes: true });
    const [first, last] = [transcript, alone].map(
      ({ segments }) => segments.flatMap(({ words = [] }) => words).at(-1)?.endSec ?? 0,
    );
    expect(first).toBeCloseTo(last as number, 3);
  });

  it("is complete when a helper returns only text", async () => {
    const cloud = helper("cloud");
    const textOnly: TranscriptionHelper = {
      ...cloud,
      async *transcribe(job, signal) {
        for await (const event of cloud.transcribe(job, signal))
          yield event.type === "done"
            ? { type: "done", transcript: { ...event.transcript, segments: [] } }
            : event;
      },
    };
    const transcript = await transcribeWith([textOnly], { language: "en", textOnly: true });
    expect(transcript.helpers).toMatchObject([{ channel: "cloud" }]);
    expect(transcript.segments.length).toBeLessThan(alone.segments.length);
    expect(wordErrors(normalizeWords(alone.text), transcript.text).rate).toBeLessThan(0.02);
  });

  it("is complete when a helper fails, which is tried once", async () => {
    const broken = helper("broken", () => Promise.reject(new Error("out of order")));
    const transcript = await transcribeWith([broken]);
    expectWhole(transcript);
    expect(broken.asked).toHaveLength(1);
    expect("helpers" in transcript).toBe(false);
  });

  it("is complete when a helper hangs and ignores its abort signal", async () => {
    const hanging = helper("hanging", () => new Promise(() => {}));
    const transcript = await transcribeWith([hanging]);
    expectWhole(transcript);
    expect(hanging.asked).toHaveLength(1);
    expect(hanging.isAborted()).toBe(true);
    expect("helpers" in transcript).toBe(false);
  });

  it("does not wait for a slow helper, whose range the engines transcribe", async () => {
    let answers = 0;
    // Responds only after it was aborted.
    const slow = helper(
      "slow",
      ({ segments, signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => ((answers += 1), resolve(segments))),
        ),
    );
    expectWhole(await transcribeWith([slow]));
    expect(answers).toBe(1);
  });

  it("is shared with several helpers, one of which fails", async () => {
    const [broken, cloud] = [
      helper("broken", () => Promise.reject(new Error("out of order"))),
      helper("cloud"),
    ];
    const transcript = await transcribeWith([broken, cloud], { language: "en" });
    expectWhole(transcript);
    expect(transcript.helpers).toMatchObject([{ channel: "cloud" }]);
  });

  it("leaves no helper running when its consumer leaves", async () => {
    const hanging = helper("hanging", () => new Promise(() => {}));
    const channel = createLocalChannel({
      pool: opened.pool,
      models: listInstalledModels(),
      vad: modelBundle("silero-vad"),
      voices,
      tempDir: () => folder.path,
      helpers: () => [hanging],
    });
    for await (const event of channel.transcribe(
      transcriptionJob(recording, { language: "en" }),
      neverAborted(),
    ))
      if (event.type === "segment" && hanging.asked.length > 0) break;
    expect(hanging.isAborted()).toBe(true);
  });

  it("is not shared when only the engines' own probabilities can tell whether it is English", async () => {
    const cloud = helper("cloud");
    expectWhole(await transcribeWith([cloud], { model: "moonshine-base", task: "translate" }));
    expect(cloud.asked).toEqual([]);
  });
});

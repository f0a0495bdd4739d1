// How work is shared between engines and helpers, with scripted responses and a clock that the test moves.

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writePcmFile } from "../../../main/audio/codec/pcm-file.ts";
import type { SpeechSegmentSpan } from "../../../main/audio/dsp/vad-segmenter.ts";
import type { TranscriptionHelper } from "../../../main/inference/transcription-helper.ts";
import type {
  SegmentResult,
  SegmentTranscriber,
} from "../../../main/inference/segment-transcriber.ts";
import {
  createSharedTranscription,
  type SharedTranscription,
} from "../../../main/inference/shared-transcription.ts";
import type { TranscriptionJob } from "../../../main/contract/speech.ts";
import { transcriptionJob } from "../../support/app.ts";
import { segment } from "../../support/fake-channel.ts";
import { openTestFolder } from "../../support/test-data.ts";

/** Consecutive speech segments of ten seconds with one word each. A helper gets at most three of them. */
const piece = (place: number): SpeechSegmentSpan => ({
  fromSec: place * 10,
  toSec: place * 10 + 10,
  startSec: place * 10,
  endSec: place * 10 + 10,
  voicedSec: 0.5,
  voiceProb: 1,
});
const placesOf = (pieces: readonly SpeechSegmentSpan[]): number[] =>
  pieces.map(({ fromSec }) => fromSec / 10);

/** Collects requests; a test waits for each and then responds to it. */
function inbox<Request>(): {
  put(request: Request): void;
  next(): Promise<Request>;
  count(): number;
} {
  const came: Request[] = [];
  const awaited: ((request: Request) => void)[] = [];
  let count = 0;
  return {
    put(request) {
      count += 1;
      const taker = awaited.shift();
      if (taker === undefined) came.push(request);
      else taker(request);
    },
    next() {
      const request = came.shift();
      return request === undefined
        ? new Promise((resolve) => awaited.push(resolve))
        : Promise.resolve(request);
    },
    count: () => count,
  };
}

type Asked = {
  job: TranscriptionJob;
  signal: AbortSignal;
  answer(text: string): void;
  fail(): void;
};

function helper(
  name: string,
  maxConcurrent = 1,
): TranscriptionHelper & { asked: ReturnType<typeof inbox<Asked>> } {
  const asked = inbox<Asked>();
  return {
    name,
    maxConcurrent,
    asked,
    async *transcribe(job, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      asked.put({ job, signal, answer: resolve, fail: () => reject(new Error("out of order")) });
      const text = await promise;
      yield {
        type: "done",
        transcript: {
          language: "english",
          durationSec: 1,
          text,
          segments: [segment(1, 2, text)],
          failed: [],
        },
      };
    },
  };
}

type Engines = { places: number[]; done(): void; fail(): void };
type Setup = {
  helpers: TranscriptionHelper[];
  poolSize?: number;
  durationSec?: number;
  processedSec?: number;
  isFindingLanguage?: boolean;
  language?: string;
  job?: Partial<TranscriptionJob>;
};

async function open({
  helpers,
  poolSize = 1,
  durationSec,
  processedSec: decodedSec = 200,
  isFindingLanguage = false,
  language = "en",
  job = {},
}: Setup) {
  const folder = await openTestFolder();
  const pcmPath = join(folder, "samples.pcm");
  await writePcmFile(pcmPath, new Float32Array(16_000));
  const engines = inbox<Engines>();
  const transcriber: SegmentTranscriber = {
    waitForLanguage: () => Promise.resolve(),
    isDetectingLanguage: () => isFindingLanguage,
    groupIntoBatches: (all) => all.map((one) => [one]),
    transcribe(_, group) {
      const { promise, resolve, reject } = Promise.withResolvers<SegmentResult[]>();
      const heard = group.map(({ startSec, endSec }): SegmentResult => ({
        untilSec: endSec,
        segments: [segment(startSec, endSec, "here")],
      }));
      engines.put({
        places: placesOf(group),
        done: () => resolve(heard),
        fail: () => reject(new Error("the engine is closing")),
      });
      return promise;
    },
    endInput() {},
    language: () => language,
    singlePassMaxSec: () => 0,
  };
  const clock = { ms: 0 };
  const abort = new AbortController();
  const shared = createSharedTranscription({
    transcriber,
    poolSize,
    helpers,
    job: transcriptionJob("whole.mp3", job),
    file: { durationSec, decodedSec },
    folder,
    language: () => language,
    signal: abort.signal,
    nowMs: () => clock.ms,
  });
  onTestFinished(async () => {
    abort.abort(new Error("over"));
    await shared.waitUntilIdle();
  });
  return {
    shared,
    engines,
    clock,
    abort,
    pcmPath,
    hear: (count: number) => answersOf(shared, pcmPath, count),
  };
}

async function answersOf(
  shared: SharedTranscription,
  pcmPath: string,
  count: number,
): Promise<Promise<SegmentResult>[]> {
  return shared.transcribe(
    pcmPath,
    Array.from({ length: count }, (_, place) => piece(place)),
  );
}

const texts = async (answers: readonly Promise<SegmentResult>[]): Promise<string[]> =>
  (await Promise.all(answers)).flatMap(({ segments }) =>
    segments.map(({ startSec, text }) => `${text} ${startSec}`),
  );

/** Waits until all resolved promises have been processed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Lets the engines transcribe everything they get until all results are there. */
async function finish(
  engines: Awaited<ReturnType<typeof open>>["engines"],
  answers: readonly Promise<SegmentResult>[],
): Promise<string[]> {
  const state = { isOver: false };
  const all = texts(answers).finally(() => (state.isOver = true));
  const going = async (): Promise<void> => {
    while (!state.isOver) (await engines.next()).done();
  };
  void going();
  return all;
}

it("assigns the first segments to the engines and the last to a helper, in adjacent runs", async () => {
  const cloud = helper("cloud");
  const { hear, engines, shared } = await open({ helpers: [cloud] });
  const answers = await hear(6);
  expect((await engines.next()).places).toEqual([0]);
  const asked = await cloud.asked.next();
  expect(cloud.asked.count()).toBe(1);
  asked.answer("there");
  expect(
    (await Promise.all(answers.slice(3))).map(({ untilSec, segments }) => [
      untilSec,
      segments.map(({ startSec }) => startSec),
    ]),
  ).toEqual([
    [40, [31]],
    [50, []],
    [60, []],
  ]);
  expect(shared.usedHelpers()).toMatchObject([{ channel: "cloud" }]);
});

it("uses no helper while an engine is free", async () => {
  const cloud = helper("cloud");
  const { hear, engines } = await open({ helpers: [cloud], poolSize: 4 });
  await hear(4);
  expect([engines.count(), cloud.asked.count()]).toEqual([4, 0]);
});

it.each([
  ["for a short file", { processedSec: 60, durationSec: 60 }],
  ["while the language is being found out", { isFindingLanguage: true }],
])("leaves everything to the engines %s", async (_, setup) => {
  const cloud = helper("cloud");
  const { hear, engines, shared } = await open({ helpers: [cloud], ...setup });
  await hear(5);
  await settle();
  expect(engines.count()).toBe(5);
  expect([cloud.asked.count(), shared.usedHelpers()]).toEqual([0, []]);
});

it("uses all slots of a helper once its first response has shown its speed", async () => {
  const cloud = helper("cloud", 3);
  const { hear, engines, clock } = await open({ helpers: [cloud] });
  await hear(20);
  const first = await cloud.asked.next();
  expect(cloud.asked.count()).toBe(1);
  clock.ms = 1000;
  (await engines.next()).done();
  first.answer("there");
  await Promise.all([cloud.asked.next(), cloud.asked.next(), cloud.asked.next()]);
  await settle();
  expect(cloud.asked.count()).toBe(4);
});

it("does not use a helper that would finish later than the engines could finish everything", async () => {
  const slow = helper("slow");
  const { hear, engines, clock } = await open({ helpers: [slow] });
  const answers = await hear(16);
  const asked = await slow.asked.next();
  // The engines transcribe ten seconds of audio per second; the helper takes three times as long.
  for (let sec = 1; sec <= 10; sec += 1) {
    const next = await engines.next();
    clock.ms = sec * 1000;
    next.done();
  }
  const last = await engines.next();
  asked.answer("there");
  await answers[13];
  last.done();
  // The engines need two seconds for the two waiting segments, the helper seven.
  expect(await finish(engines, answers)).toEqual([
    ...Array.from({ length: 13 }, (_, place) => `here ${place * 10}`),
    "there 131",
  ]);
  expect(slow.asked.count()).toBe(1);
});

it("uses a slow helper while the engines have more left to do than it takes", async () => {
  const slow = helper("slow");
  const { hear, engines, clock } = await open({ helpers: [slow], durationSec: 3600 });
  await hear(14);
  const asked = await slow.asked.next();
  clock.ms = 1000;
  (await engines.next()).done();
  clock.ms = 10_000;
  asked.answer("there");
  expect((await slow.asked.next()).job.mediaPath).not.toBe(asked.job.mediaPath);
});

it("transcribes here what a helper fails at, and does not use that helper again", async () => {
  const [broken, cloud] = [helper("broken"), helper("cloud")];
  const { hear, engines, shared } = await open({ helpers: [broken, cloud] });
  const answers = await hear(12);
  const [toBroken, toCloud] = [await broken.asked.next(), await cloud.asked.next()];
  for (let place = 0; place < 6; place += 1) (await engines.next()).done();
  toBroken.fail();
  const again = await engines.next();
  expect(again.places).toEqual([9]);
  // The remaining helper gets the rest.
  toCloud.answer("there");
  (await cloud.asked.next()).answer("there");
  again.done();
  expect(await texts(answers)).toEqual([
    ...[0, 10, 20, 30, 40, 50].map((sec) => `here ${sec}`),
    "there 61",
    "here 90",
    "there 101",
  ]);
  expect([broken.asked.count(), shared.usedHelpers()]).toMatchObject([1, [{ channel: "cloud" }]]);
});

it("cancels a hanging helper when nothing else is left to do", async () => {
  const hanging = helper("hanging");
  const { hear, engines, shared } = await open({ helpers: [hanging] });
  const answers = await hear(4);
  const asked = await hanging.asked.next();
  (await engines.next()).done();
  await settle();
  // More segments may come, so the engine waits for them.
  expect(engines.count()).toBe(1);
  shared.setMoreExpected(false);
  expect(await finish(engines, answers)).toEqual(["here 0", "here 10", "here 20", "here 30"]);
  expect(asked.signal.aborted).toBe(true);
  expect(shared.usedHelpers()).toEqual([]);
});

it("uses the result of a helper that finishes before the engines that transcribe the same part", async () => {
  const late = helper("late");
  const { hear, engines, shared } = await open({ helpers: [late] });
  const answers = await hear(4);
  const asked = await late.asked.next();
  shared.setMoreExpected(false);
  (await engines.next()).done();
  const again = await engines.next();
  expect(again.places).toEqual([1]);
  asked.answer("there");
  expect(await texts(answers)).toEqual(["here 0", "there 11"]);
  again.done();
  await settle();
  expect([shared.usedHelpers(), asked.signal.aborted]).toMatchObject([
    [{ channel: "late" }],
    false,
  ]);
});

it("uses the engines' result when the helper fails in the meantime", async () => {
  const broken = helper("broken");
  const { hear, engines, shared } = await open({ helpers: [broken] });
  const answers = await hear(3);
  const asked = await broken.asked.next();
  shared.setMoreExpected(false);
  (await engines.next()).done();
  const again = await engines.next();
  asked.fail();
  await settle();
  again.done();
  expect(await finish(engines, answers)).toEqual(["here 0", "here 10", "here 20"]);
});

it("passes the detected language to helpers, and requests a transcription of English that is to be translated", async () => {
  for (const [language, task] of [
    ["de", "translate"],
    ["en", "transcribe"],
  ] as const) {
    const cloud = helper("cloud");
    const { hear } = await open({
      helpers: [cloud],
      language,
      job: { task: "translate", prompt: "Hearsay" },
    });
    await hear(4);
    expect((await cloud.asked.next()).job).toMatchObject({
      language,
      task,
      prompt: "Hearsay",
      stream: false,
    });
  }
});

it("does not combine samples from two VAD attempts", async () => {
  const cloud = helper("cloud");
  const { shared, hear, pcmPath } = await open({ helpers: [cloud] });
  const other = join(await openTestFolder(), "samples.pcm");
  await writePcmFile(other, new Float32Array(16_000));
  await hear(4);
  const answers = [
    ...(await shared.transcribe(pcmPath, [piece(4)])),
    ...(await shared.transcribe(other, [piece(5)])),
  ];
  for (let asked = 1; asked <= 3; asked += 1) (await cloud.asked.next()).answer("there");
  expect(await texts(answers)).toEqual(["there 41", "there 51"]);
});

it("does not combine segments across one that is assigned elsewhere", async () => {
  const [broken, cloud] = [helper("broken"), helper("cloud")];
  const { shared, hear, pcmPath } = await open({ helpers: [broken, cloud] });
  const answers = await hear(3);
  const toBroken = await broken.asked.next();
  for (const place of [3, 4]) answers.push(...(await shared.transcribe(pcmPath, [piece(place)])));
  toBroken.fail();
  for (let asked = 1; asked <= 3; asked += 1) (await cloud.asked.next()).answer("there");
  expect(await texts(answers.slice(1))).toEqual(["there 11", "there 31", "there 41"]);
});

it("ends everything when the engines fail permanently or the caller disconnects", async () => {
  const hanging = helper("hanging");
  const { hear, engines, abort, shared } = await open({ helpers: [hanging] });
  const answers = await hear(8);
  const asked = await hanging.asked.next();
  (await engines.next()).fail();
  await expect(answers[0]).rejects.toThrow("closing");
  abort.abort(new Error("gone"));
  for (const answer of answers.slice(2)) await expect(answer).rejects.toThrow("gone");
  await shared.waitUntilIdle();
  expect(asked.signal.aborted).toBe(true);
});

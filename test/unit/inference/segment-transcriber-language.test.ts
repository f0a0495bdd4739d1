// How the language of a file is detected during VAD, with scripted engines and a scripted VAD.

import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { SpeechSegmentSpan } from "../../../main/audio/dsp/vad-segmenter.ts";
import { transcribeFile } from "../../../main/inference/local-transcription.ts";
import { AppError } from "../../../main/contract/errors.ts";
import { appError } from "../../support/app-error.ts";
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionJob,
} from "../../../main/contract/speech.ts";
import type { LanguageProbability } from "../../../main/engines/engine.ts";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import { createPoolJob } from "../../../main/engines/pool/pool-job.ts";
import type { TaskInput, TaskName } from "../../../main/engines/pool/protocol.ts";
import type { TranscriptionModels } from "../../../main/models/defaults.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import { transcriptionJob, neverAborted, collectTranscript } from "../../support/app.ts";
import { segment } from "../../support/fake-channel.ts";
import { openTestFolder } from "../../support/test-data.ts";

const [moonshine, whisper] = [shippedModel("moonshine-base"), shippedModel("whisper-base")];
const languages = ["af", "de", "en", "zh"];
const auto: TranscriptionModels = {
  languages,
  detector: whisper,
  englishFirst: moonshine,
  modelFor: (language) => (language === "en" ? moonshine : whisper),
};
const byName: TranscriptionModels = { languages, detector: whisper, modelFor: () => whisper };

const speechSegment = (fromSec: number, lengthSec = 2.4): SpeechSegmentSpan => ({
  fromSec,
  toSec: fromSec + lengthSec,
  startSec: fromSec,
  endSec: fromSec + lengthSec,
  voicedSec: lengthSec,
  voiceProb: 1,
});

/** Speech segments found in one VAD step. A step may wait for a promise, or fail. */
type Step = { spans?: SpeechSegmentSpan[]; when?: Promise<unknown>; error?: AppError };
type TranscribeInput = TaskInput<"transcribe">;
type Script = {
  steps: Step[];
  durationSec?: number;
  /** Log probability reported by the English model; −1 is typical of other languages. */
  english?: number;
  detect?: () => Promise<LanguageProbability[]>;
  textFor?: (input: TranscribeInput) => string | AppError;
  language?: string;
};

/** A pool with scripted tasks. */
function scripted({
  steps,
  durationSec,
  english = -1,
  detect = async () => [{ language: "de", probability: 0.9 }],
  textFor = ({ model }) => model.id,
  language = "de",
}: Script) {
  const inputs: TranscribeInput[] = [];
  const detected: TaskInput<"detect-language">[] = [];
  let stepsTaken = 0;
  const tasks = {
    "segment.open": async () => ({ durationSec }),
    async "segment.step"() {
      const step = steps[stepsTaken];
      stepsTaken += 1;
      await step?.when;
      if (step?.error !== undefined) throw step.error;
      return {
        speechSegments: step?.spans ?? [],
        processedSec: 10 * stepsTaken,
        ended: stepsTaken >= steps.length,
      };
    },
    async transcribe(input: TranscribeInput) {
      inputs.push(input);
      const text = textFor(input);
      if (text instanceof AppError) throw text;
      const isEnglish = input.model === moonshine;
      return input.speechSegments.map(({ startSec, endSec }) => [
        {
          ...segment(startSec, endSec, text),
          tokens: [1, 2, 3],
          avgLogprob: isEnglish ? english : -0.2,
          language: isEnglish ? "en" : language,
        },
      ]);
    },
    "detect-language"(input: TaskInput<"detect-language">) {
      detected.push(input);
      return detect();
    },
  };
  const pool: Pool = {
    size: 1,
    isBusy: () => false,
    pids: () => [],
    memory: () => ({ processes: 0, bytes: 0, models: new Map() }),
    unload() {},
    close: async () => {},
    job(signal) {
      const run = (name: TaskName, input: unknown): Promise<never> => {
        const aborted = new Promise<never>((_, reject) => {
          if (signal.aborted) reject(signal.reason as Error);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
        return Promise.race([
          (tasks as Partial<Record<TaskName, (input: unknown) => Promise<unknown>>>)[name]?.(
            input,
          ) as Promise<never>,
          aborted,
        ]);
      };
      return createPoolJob({ run, pin: () => ({ session: "one", run, release() {} }) });
    },
  };
  return { pool, inputs, detected, taken: () => stepsTaken };
}

async function open(script: Script, models: TranscriptionModels = auto) {
  const engines = scripted(script);
  const tempDir = await openTestFolder();
  const transcribe = (
    more: Partial<TranscriptionJob> = {},
    signal = neverAborted(),
  ): AsyncIterable<TranscriptionEvent> =>
    transcribeFile(
      {
        models,
        pool: engines.pool,
        vad: shippedModel("silero-vad"),
        findUnknownWords: async () => [],
        tempDir: () => tempDir,
      },
      transcriptionJob("x.wav", more),
      signal,
    );
  const transcript = (more?: Partial<TranscriptionJob>): Promise<Transcript> =>
    collectTranscript(transcribe(more));
  return { ...engines, transcribe, transcript, leftovers: () => readdir(tempDir) };
}

const groupsOf = (inputs: readonly TranscribeInput[]): number[][] =>
  inputs
    .filter(({ model }) => model === whisper)
    .map(({ speechSegments }) => speechSegments.map(({ fromSec }) => fromSec));
const engineFailed = (): AppError =>
  appError("engine_failed", "The speech engine failed on this part twice.");
const unusable = (): AppError =>
  appError("model_unusable", "config.json of whisper-base is damaged.");

describe("the language of a file", () => {
  it.each([
    ["found out", auto],
    ["of a model asked for by name", byName],
  ])("is detected from a few words before a long silence: %s", async (_, models) => {
    const firstSegment = Promise.withResolvers<void>();
    const silence = Array.from({ length: 100 }, (__, place): Step =>
      place < 3 ? {} : { when: firstSegment.promise },
    );
    const { transcribe, taken } = await open(
      { steps: [{ spans: [speechSegment(0)] }, ...silence] },
      models,
    );
    let transcript: Transcript | undefined;
    let takenAtFirst = Infinity;
    for await (const event of transcribe()) {
      if (event.type === "segment") {
        takenAtFirst = taken();
        firstSegment.resolve();
      } else if (event.type === "done") ({ transcript } = event);
    }
    expect(takenAtFirst).toBeLessThan(10);
    expect(transcript).toMatchObject({ language: "german", text: "whisper-base" });
  });

  it("is not detected from the silence before the first words", async () => {
    const { transcript } = await open({
      steps: [...Array.from({ length: 40 }, () => ({})), { spans: [speechSegment(400)] }],
    });
    expect(await transcript()).toMatchObject({ language: "german", text: "whisper-base" });
  });

  it("stays English where no other language is probable", async () => {
    const { transcript } = await open({
      steps: [{ spans: [speechSegment(0, 1.5)] }],
      detect: async () => [{ language: "zh", probability: 0.4 }],
    });
    expect(await transcript()).toMatchObject({ language: "english", text: "moonshine-base" });
  });

  it("is not detected where the English model is confident", async () => {
    const { transcript, detected } = await open({
      steps: [{ spans: [speechSegment(0)] }],
      english: -0.1,
    });
    expect(await transcript()).toMatchObject({ language: "english", text: "moonshine-base" });
    expect(detected).toEqual([]);
  });

  it("is detected once for a model requested by name, which gets it as the likely language", async () => {
    const steps = [0, 10, 20, 30].map((sec) => ({
      spans: [speechSegment(sec, 5), speechSegment(sec + 5, 5)],
    }));
    const { transcript, detected, inputs } = await open({ steps }, byName);
    expect((await transcript()).segments).toHaveLength(8);
    expect(detected).toHaveLength(1);
    expect(new Set(inputs.map(({ options }) => options.likelyLanguage))).toEqual(new Set(["de"]));
  });

  it("is not detected where the request names it, or where there is only one", async () => {
    for (const [models, more] of [
      [auto, { language: "de" }],
      [byName, { language: "de" }],
      [{ languages: ["en"], modelFor: () => moonshine }, {}],
    ] as const) {
      const { transcript, detected } = await open(
        { steps: [{ spans: [speechSegment(0)] }] },
        models,
      );
      await transcript(more);
      expect(detected).toEqual([]);
    }
  });

  it.each([
    ["found out", auto],
    ["of a model asked for by name", byName],
  ])("is English where nothing was said: %s", async (_, models) => {
    const { transcript } = await open({ steps: [{}, {}] }, models);
    expect(await transcript()).toMatchObject({ language: "english", text: "" });
  });
});

it("transcribes early segments of another language in the same groups as if the request had named it", async () => {
  const steps = [
    { spans: [speechSegment(0, 3), speechSegment(3.5, 2), speechSegment(6, 4)] },
    { spans: [speechSegment(11), speechSegment(14)] },
  ];
  const [found, given] = [await open({ steps }), await open({ steps })];
  expect((await found.transcript()).segments.map(({ startSec }) => startSec)).toEqual([
    0, 3.5, 6, 11, 14,
  ]);
  await given.transcript({ language: "de" });
  expect(groupsOf(found.inputs)).toEqual([
    [0, 3.5, 6],
    [11, 14],
  ]);
  expect(groupsOf(given.inputs)).toEqual(groupsOf(found.inputs));
});

it.each([
  ["a whole", "up to", 30, false],
  ["an excerpt", "over", 31, true],
])(
  "transcribes %s of a file %s the length of a single pass",
  async (_, __, durationSec, isExcerpt) => {
    const { transcript, inputs } = await open({
      steps: [{ spans: [speechSegment(2), speechSegment(6)] }],
      durationSec,
    });
    await transcript();
    const [input] = inputs.filter(({ model }) => model === whisper);
    expect(input?.options.isExcerpt).toBe(isExcerpt);
    expect(input?.speechSegments.map(({ quietFromSec }) => quietFromSec)).toEqual(
      isExcerpt ? [undefined, undefined] : [0, 4.4],
    );
  },
);

describe("before the language is detected", () => {
  it("a caller that disconnects ends all work", async () => {
    const abort = new AbortController();
    const waited = Promise.withResolvers<void>();
    const { transcribe, leftovers } = await open({
      steps: [{ spans: [speechSegment(0)] }, { when: waited.promise }, {}],
    });
    const all = collectTranscript(transcribe({}, abort.signal));
    abort.abort(new Error("gone"));
    await expect(all).rejects.toThrow("gone");
    expect(await leftovers()).toEqual([]);
  });

  it("a file that cannot be decoded any further ends all work", async () => {
    const { transcript, leftovers } = await open({
      steps: [
        { spans: [speechSegment(0)] },
        { error: appError("undecodable_audio", "The audio file could not be decoded.") },
        {},
      ],
    });
    await expect(transcript()).rejects.toMatchObject({ key: "undecodable_audio" });
    expect(await leftovers()).toEqual([]);
  });
});

describe("a model that cannot be used", () => {
  it.each([
    ["failed", engineFailed()],
    ["cannot be loaded", unusable()],
  ])("for language detection leaves English: it %s", async (_, error) => {
    const { transcript } = await open({
      steps: [{ spans: [speechSegment(0)] }],
      detect: () => Promise.reject(error),
      textFor: ({ model }) => (model === whisper ? error : "English"),
    });
    expect(await transcript()).toMatchObject({ language: "english", text: "English", failed: [] });
  });

  it("fails the request, not just a segment of it", async () => {
    for (const [models, more] of [
      [byName, {}],
      [byName, { language: "de" }],
      [auto, { language: "de" }],
    ] as const) {
      const { transcript, leftovers } = await open(
        {
          steps: [{ spans: [speechSegment(0), speechSegment(3)] }],
          textFor: unusable,
          detect: () => Promise.reject(unusable()),
        },
        models,
      );
      await expect(transcript(more)).rejects.toMatchObject({ key: "model_unusable" });
      expect(await leftovers()).toEqual([]);
    }
  });

  it("for one part of the file leaves that part out", async () => {
    const { transcript } = await open(
      {
        steps: [{ spans: [speechSegment(0), speechSegment(3)] }],
        textFor: ({ speechSegments }) =>
          speechSegments.some(({ fromSec }) => fromSec === 3) ? engineFailed() : "transcribed",
      },
      byName,
    );
    expect(await transcript()).toMatchObject({ text: "transcribed", failed: [{ startSec: 3 }] });
  });
});

it("puts no space between segments of a language without spaces, but between those of its translation", async () => {
  const steps = [{ spans: [speechSegment(0), speechSegment(3)] }];
  expect(
    (
      await (
        await open({ steps, language: "zh", textFor: () => "你好。" })
      ).transcript({ language: "zh" })
    ).text,
  ).toBe("你好。你好。");
  expect(
    (
      await (
        await open({ steps, language: "zh", textFor: () => "Hello." })
      ).transcript({ language: "zh", task: "translate" })
    ).text,
  ).toBe("Hello. Hello.");
});

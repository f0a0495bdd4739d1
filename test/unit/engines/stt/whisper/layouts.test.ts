// Exports of other sizes than ours, loaded and run from end to end.

import { InferenceSession } from "onnxruntime-node";
import { expect, it, onTestFinished, vi } from "vitest";
import type { SpeechSegment, SpeechToText } from "../../../../../main/engines/engine.ts";
import { loadSpeechToText } from "../../../../../main/engines/engine-list.ts";
import { neverAborted } from "../../../../support/app.ts";
import { writeModel } from "../../../../support/model-folder.ts";
import { tone } from "../../../../support/test-audio.ts";
import { type TinyWhisper, tinyWhisper } from "../../../../support/tiny-whisper.ts";

/** " Hello" and " world" in every multilingual vocabulary. In the English-only one, these ids mean other text. */
const words = [2425, 1002] as const;
const english = { start: 50_257, end: 50_256, noTimestamps: 50_362 };
const third = { start: 50_258, end: 50_257, noTimestamps: 50_364, german: 50_261 };

/** The engine, until the end of the test. */
async function load(files: ReadonlyMap<string, Uint8Array>): Promise<SpeechToText> {
  const engine = await loadSpeechToText(
    await writeModel({ family: "whisper", languages: [] }, files),
  );
  onTestFinished(() => engine.close());
  return engine;
}

const layouts: [string, TinyWhisper, string, number][] = [
  [
    "an English-only vocabulary",
    {
      melBands: 80,
      decoderLayers: 4,
      vocabularySize: 51_864,
      generation: {
        decoder_start_token_id: english.start,
        eos_token_id: english.end,
        no_timestamps_token_id: english.noTimestamps,
        prev_sot_token_id: 50_360,
        is_multilingual: false,
        lang_to_id: undefined,
        task_to_id: undefined,
        alignment_heads: [[3, 0]],
        suppress_tokens: [],
        begin_suppress_tokens: [220, english.end],
      },
      nextTokens: new Map([
        [english.noTimestamps, words[0]],
        [words[0], words[1]],
        [words[1], english.end],
      ]),
    },
    "en",
    0,
  ],
  [
    "128 bands, the third vocabulary and few layers (large-v3-turbo)",
    {
      melBands: 128,
      decoderLayers: 2,
      vocabularySize: 51_866,
      generation: {
        decoder_start_token_id: third.start,
        eos_token_id: third.end,
        no_timestamps_token_id: third.noTimestamps,
        prev_sot_token_id: 50_362,
        task_to_id: { transcribe: 50_360, translate: 50_359 },
        lang_to_id: { "<|en|>": 50_259, "<|de|>": third.german, "<|yue|>": 50_358 },
        alignment_heads: [[1, 0]],
        suppress_tokens: [],
        begin_suppress_tokens: [220, third.end],
      },
      nextTokens: new Map([
        [third.start, third.german],
        [third.noTimestamps, words[0]],
        [words[0], words[1]],
        [words[1], third.end],
      ]),
    },
    "de",
    3,
  ],
];

it.each(layouts)("transcribes with %s", async (_, layout, language, languages) => {
  const engine = await load(await tinyWhisper(layout));
  const samples = tone(440, 2, 16_000);
  const speechSegment = {
    samples,
    offsetSec: 1,
    startSec: 1,
    endSec: 3,
    voicedSec: 2,
    voiceProb: 1,
  };
  const [[segment] = []] = await engine.transcribe(
    [speechSegment],
    { task: "transcribe", temperature: 0, wordTimes: true, prompt: "Before." },
    neverAborted(),
  );
  expect(segment).toMatchObject({ tokens: words, language, temperature: 0, seekFrames: 100 });
  expect(segment?.words?.length).toBeGreaterThan(0);
  expect(segment?.avgLogprob).toBeGreaterThan(-0.01);
  const guesses = (await engine.detectLanguage?.(samples, neverAborted())) ?? [];
  expect(guesses.map((guess) => guess.language)[0]).toBe(languages > 0 ? language : undefined);
  expect(guesses).toHaveLength(languages);
});

/** A layout whose decoder writes two segments with timestamps when it is asked for them. */
const plain: TinyWhisper = {
  ...(layouts[1] as (typeof layouts)[number])[1],
  withAttentions: false,
};

const speechSegmentAt = (startSec: number, lengthSec = 2): SpeechSegment => ({
  samples: tone(440, lengthSec, 16_000),
  offsetSec: startSec,
  startSec,
  endSec: startSec + lengthSec,
  voicedSec: 0.5,
  voiceProb: 1,
});

it("transcribes several windows with a decoder in two graphs as with a merged one", async () => {
  const segments = [speechSegmentAt(1), speechSegmentAt(60), speechSegmentAt(120)];
  const results: unknown[] = [];
  for (const hasSplitDecoder of [false, true]) {
    const layout = { ...plain, withAttentions: true, hasSplitDecoder };
    const engine = await load(await tinyWhisper(layout));
    const options = { task: "transcribe", temperature: 0, wordTimes: true } as const;
    results.push(await engine.transcribe(segments, options, neverAborted()));
  }
  const [merged, split] = results;
  expect(merged).toMatchObject(segments.map(() => [{ tokens: words, words: expect.any(Array) }]));
  expect(split).toEqual(merged);
});

it("transcribes without word times if the decoder returns no attentions", async () => {
  const engine = await load(await tinyWhisper(plain));
  const [[segment] = []] = await engine.transcribe(
    [speechSegmentAt(1)],
    { task: "transcribe", temperature: 0, wordTimes: true },
    neverAborted(),
  );
  expect(segment?.tokens).toEqual(words);
  expect(segment?.words).toBeUndefined();
});

it("divides a window among its segments by timestamps if there are no attentions", async () => {
  const { noTimestamps } = third;
  const at = (sec: number): number => noTimestamps + 1 + sec * 50;
  const engine = await load(
    await tinyWhisper({
      ...plain,
      nextTokens: new Map([
        [third.start, third.german],
        // <|0.00|> Hello <|2.00|><|2.02|> world <|4.00|>
        [50_360, at(0)],
        [at(0), words[0]],
        [words[0], at(2)],
        [at(2), at(2.02)],
        [at(2.02), words[1]],
        [words[1], at(4)],
        [at(4), third.end],
      ]),
    }),
  );
  // Further apart than a single window allows, so that they are packed.
  const segments = await engine.transcribe(
    [speechSegmentAt(1), speechSegmentAt(4), speechSegmentAt(60)],
    { task: "transcribe", temperature: 0, wordTimes: false },
    neverAborted(),
  );
  const texts = segments.map((parts) => parts.map(({ text }) => text));
  expect(texts.slice(0, 2)).toEqual([["Hello"], ["world"]]);
});

it.each(["onnx/encoder_model.onnx", "encoder_model_q4.onnx"])(
  "loads %s with external data",
  async (name) => {
    const files = new Map(await tinyWhisper({ ...plain, externalData: `${baseName(name)}_data` }));
    const encoder = files.get("onnx/encoder_model_quantized.onnx") as Uint8Array;
    const data = files.get("onnx/data") as Uint8Array;
    files.delete("onnx/encoder_model_quantized.onnx");
    files.delete("onnx/data");
    files.set(name, encoder).set(`${name}_data`, data);
    const engine = await load(files);
    const [[segment] = []] = await engine.transcribe(
      [speechSegmentAt(1)],
      { task: "transcribe", temperature: 0, wordTimes: false },
      neverAborted(),
    );
    expect(segment?.tokens).toEqual(words);
  },
);

const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** Shapes of what the decoder is given as `name`, in each of its steps. */
async function decoderInputs(
  engine: SpeechToText,
  speechSegments: readonly SpeechSegment[],
  name: string,
): Promise<(readonly number[])[]> {
  const { prototype } = InferenceSession as unknown as { prototype: InferenceSession };
  const run = vi.spyOn(prototype, "run");
  onTestFinished(() => run.mockRestore());
  const segments = await engine.transcribe(
    speechSegments,
    { task: "transcribe", language: "de", temperature: 0, wordTimes: false },
    neverAborted(),
  );
  expect(segments.map(([segment]) => segment?.tokens)).toEqual(segments.map(() => words));
  return run.mock.calls.flatMap(([feeds]) => {
    const dims = feeds[name]?.dims;
    return dims === undefined ? [] : [dims];
  });
}

it("decodes many windows in even batches", async () => {
  const engine = await load(await tinyWhisper(plain));
  // Too far apart to share a window.
  const speechSegments = Array.from({ length: 9 }, (_, index) => speechSegmentAt(10 * index));
  const inputs = await decoderInputs(engine, speechSegments, "input_ids");
  expect(new Set(inputs.map(([rows]) => rows))).toEqual(new Set([5, 4]));
});

it("decodes windows of similar length together, and encodes none much longer than it is", async () => {
  const engine = await load(await tinyWhisper({ ...plain, takesShortWindows: true }));
  const speechSegments = [2, 18, 10, 3, 19].map((lengthSec, index) =>
    speechSegmentAt(30 * index, lengthSec),
  );
  const inputs = await decoderInputs(engine, speechSegments, "encoder_hidden_states");
  const batches = new Set(inputs.map(([rows, frames = 0]) => `${rows} of ${frames / 50} s`));
  expect([...batches]).toEqual(["2 of 20 s", "1 of 11 s", "2 of 8 s"]);
});

// Exports of other sizes than ours, loaded and run from end to end.

import { expect, it, onTestFinished } from "vitest";
import { createWhisper } from "../../../../../main/engines/stt/whisper/whisper.ts";
import { neverAborted } from "../../../../support/app.ts";
import { tone } from "../../../../support/test-audio.ts";
import { type TinyWhisper, tinyWhisper } from "../../../../support/tiny-whisper.ts";

/** " Hello" and " world" in every multilingual vocabulary. In the English-only one, these ids mean other text. */
const words = [2425, 1002] as const;
const english = { start: 50_257, end: 50_256, noTimestamps: 50_362 };
const third = { start: 50_258, end: 50_257, noTimestamps: 50_364, german: 50_261 };

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
  const files = await tinyWhisper(layout);
  const engine = await createWhisper(
    async (name) => files.get(name) as Uint8Array,
    [...files.keys()],
  );
  onTestFinished(() => engine.close());
  const samples = tone(440, 2, 16_000);
  const piece = { samples, offsetSec: 1, startSec: 1, endSec: 3, voicedSec: 2, voiceProb: 1 };
  const [[segment] = []] = await engine.transcribe(
    [piece],
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

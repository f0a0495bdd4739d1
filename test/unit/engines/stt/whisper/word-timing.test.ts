import { beforeAll, expect, it } from "vitest";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  readConfiguration,
  type WhisperConfiguration,
  type WhisperVocabulary,
} from "../../../../../main/engines/stt/whisper/configuration.ts";
import {
  groupWordsBySegment,
  extractWords,
} from "../../../../../main/engines/stt/whisper/word-timing.ts";
import { shippedModel } from "../../../../../main/models/shipped-models.ts";

let configuration: WhisperConfiguration;
let vocabulary: WhisperVocabulary;

beforeAll(async () => {
  ({ configuration, vocabulary } = await readConfiguration((name) =>
    readFile(join(shippedModel("whisper-base").dir, name), "utf8"),
  ));
});

/** Words of a text, each of whose tokens is attended to for two tenths of a second, in sequence. */
function words(text: string, language: string) {
  const tokens = vocabulary.encode(text);
  const attentions = [...tokens, configuration.endToken].map((_, index) => [
    Float32Array.from({ length: 10 * (tokens.length + 1) }, (__, frame) =>
      Math.floor(frame / 10) === index ? 1 : 0,
    ),
  ]);
  const logProbs = attentions.map(() => Math.log(0.5));
  return extractWords(
    { tokens, logProbs, noSpeechProb: 0, language, rangeLanguages: [], attentions },
    configuration,
    vocabulary,
  );
}

it("reads the configuration of the model", () => {
  expect(configuration).toMatchObject({
    melBands: 80,
    encoderFrames: 1500,
    maxSequence: 448,
    startToken: 50_258,
    endToken: 50_257,
    previousToken: 50_361,
    noSpeechToken: 50_362,
    noTimestampsToken: 50_363,
    firstTimestamp: 50_364,
  });
  expect(configuration.languages.size).toBe(99);
  expect(configuration.languages.get("de")).toBe(50_261);
  expect(configuration.alignmentHeads).toHaveLength(8);
});

it.each([
  [
    ' Hello, world. "Stop!" (said) he…',
    "en",
    [" Hello,", " world.", ' "Stop!"', " (said)", " he…"],
  ],
  [" Wait--what -- no...", "en", [" Wait--what", " --", " no..."]],
  [" Über fünfzig Größen.", "de", [" Über", " fünfzig", " Größen."]],
])("joins the tokens of %s", (text, language, expected) => {
  const found = words(text, language);
  expect(found.map((word) => word.text).join("")).toBe(text);
  expect(found.map((word) => word.text)).toEqual(expected);
});

it("treats every character as a word in languages without spaces", () => {
  const found = words("日本語です。", "ja");
  expect(found.map((word) => word.text).join("")).toBe("日本語です。");
  expect(found.length).toBeGreaterThan(2);
  // Tokens without a leading space form one word in a language that writes spaces.
  expect(words("សួស្តី", "km").length).toBeGreaterThan(2);
  expect(words("སྐད", "bo")).toHaveLength(1);
});

it("gives each word the time at which its tokens are attended to", () => {
  const found = words(" Hello Hello Hello", "en");
  expect(found.map(({ startSec }) => startSec)).toEqual(
    [0, 0.2, 0.4].map((sec) => expect.closeTo(sec, 1) as number),
  );
  expect(found.every(({ probability }) => Math.abs(probability - 0.5) < 1e-6)).toBe(true);
});

it("returns no words for an empty text", () => {
  expect(words("", "en")).toEqual([]);
});

/** A word with these tokens, at any time. */
const word = (text: string, ...tokens: number[]) => ({
  text,
  tokens,
  startSec: 99,
  endSec: 99,
  probability: 1,
});

it("assigns words to segments by their tokens, whatever their times", () => {
  const spoken = [word("one", 1), word("two", 2, 3), word("three", 4), word("left", 5)];
  const time = configuration.firstTimestamp;
  const segments = [
    { tokens: [time, 1, 2, time + 50] },
    { tokens: [time + 50] },
    { tokens: [time + 50, 3, 4, time + 80] },
  ];
  expect(
    groupWordsBySegment(spoken, segments, configuration).map((own) => own.map(({ text }) => text)),
  ).toEqual([["one", "two"], [], ["three"]]);
});

it("never encodes text that looks like a control token as one", () => {
  expect(vocabulary.encode("<|endoftext|><|startoftranscript|><|de|>")).toEqual([]);
  expect(
    vocabulary.encode(" Anna<|endoftext|>").every((token) => token < configuration.endToken),
  ).toBe(true);
  expect(vocabulary.decode(vocabulary.encode(" Anna <|0.00|> Bob"))).toContain("Anna");
});

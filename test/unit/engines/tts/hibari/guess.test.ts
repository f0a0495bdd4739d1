import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createGuesser,
  type GuessAlphabet,
  type Guesser,
} from "../../../../../main/engines/tts/hibari/guess.ts";
import { readHibariFile } from "../../../../support/hibari-engine.ts";

let guesser: Guesser;
beforeAll(async () => {
  const alphabet = JSON.parse(
    new TextDecoder().decode(await readHibariFile("oov.json")),
  ) as GuessAlphabet;
  guesser = await createGuesser(await readHibariFile("oov.onnx"), alphabet);
});
afterAll(() => guesser.close());

it("reads made-up words as English would", async () => {
  expect(await guesser.guess(["zorb", "blick"])).toEqual(["zˈɔɹb", "blˈɪk"]);
});

it("answers once per word, with nothing for a word without letters, and takes words longer than the graph", async () => {
  const answers = await guesser.guess(["", "漢字", "zorb".repeat(20)]);
  expect(answers.slice(0, 2)).toEqual(["", ""]);
  expect(answers[2]?.match(/z/g)?.length).toBe(20);
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { createG2p, type G2pAlphabet, type G2p } from "../../../../main/engines/tts/g2p.ts";
import { readHibariFile } from "../../../support/hibari-engine.ts";

let guesser: G2p;
beforeAll(async () => {
  const alphabet = JSON.parse(
    new TextDecoder().decode(await readHibariFile("oov.json")),
  ) as G2pAlphabet;
  guesser = await createG2p(await readHibariFile("oov.onnx"), alphabet);
});
afterAll(() => guesser.close());

it("pronounces made-up words by English rules", async () => {
  expect(await guesser.predict(["zorb", "blick"])).toEqual(["zˈɔɹb", "blˈɪk"]);
});

it("returns one result per word, empty for a word without letters, and accepts words longer than the graph", async () => {
  const answers = await guesser.predict(["", "漢字", "zorb".repeat(20)]);
  expect(answers.slice(0, 2)).toEqual(["", ""]);
  expect(answers[2]?.match(/z/g)?.length).toBe(20);
});

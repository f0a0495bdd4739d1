import { expect, it } from "vitest";
import { knowsVoice, parseVoiceBlend, toSingleVoice } from "../../../main/contract/voice-blend.ts";

const isKnown = (id: string): boolean => ["a", "b"].includes(id);

it("reads voices with their weights, 1 by default", () => {
  expect(parseVoiceBlend("af_bella(2)+af_sky(1)")).toEqual([
    { id: "af_bella", weight: 2 },
    { id: "af_sky", weight: 1 },
  ]);
  expect(parseVoiceBlend("nova + bm_fable(0.5)")).toEqual([
    { id: "nova", weight: 1 },
    { id: "bm_fable", weight: 0.5 },
  ]);
});

it("leaves the name of a single voice as it is", () => {
  expect(parseVoiceBlend("My voice, 2")).toEqual([{ id: "My voice, 2", weight: 1 }]);
});

it("reads a single voice with a weight as that voice", () => {
  expect(["af_bella(2)", "af_bella", "a(2)+b", "My voice (2)", "a(0)"].map(toSingleVoice)).toEqual([
    "af_bella",
    "af_bella",
    "a(2)+b",
    "My voice (2)",
    "a(0)",
  ]);
});

it.each(["a+", "+", "a(0)+b", "a(x)+b", "a(2", "a(-1)+b", "a+b+c+d+e+f+g+h+i"])(
  "finds no voices in '%s'",
  (text) => expect(parseVoiceBlend(text)).toEqual([]),
);

it("knows a blend if it knows each of its voices", () => {
  expect(["a", "a+b(2)", "a+c", "c", "a+"].map((voice) => knowsVoice(voice, isKnown))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

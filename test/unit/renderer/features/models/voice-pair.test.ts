import { expect, it } from "vitest";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import {
  drawPair,
  voiceKey,
  voicesOf,
} from "../../../../../renderer/features/models/voice-pair.ts";

const model = (id: string, changes: Partial<ListedModel> = {}): ListedModel => ({
  id,
  state: "ready",
  kind: "text-to-speech",
  ownedBy: "someone",
  channel: "local",
  ...changes,
});
const own = { id: "thorsten", name: "Thorsten", character: "calm", language: "de" };
const [one, two, three] = ["a", "b", "c"].map((voice) => ({ model: "m", voice })) as [
  { model: string; voice: string },
  { model: string; voice: string },
  { model: string; voice: string },
];

it("takes the voices that a model lists, or else those of OpenAI's clients", () => {
  const voices = voicesOf([
    model("piper", { voices: [own] }),
    model("tts-1"),
    model("whisper-1", { kind: "speech-to-text" }),
  ]);
  expect(voices).toHaveLength(7);
  expect(voices).toContainEqual({ model: "piper", voice: "thorsten" });
  expect(voices).toContainEqual({ model: "tts-1", voice: "nova" });
});

it("draws the chosen voices in random order", () => {
  const chosen = [voiceKey(one), voiceKey(two)] as const;
  expect(drawPair([one, two, three], chosen, () => 0)).toEqual([one, two]);
  expect(drawPair([one, two, three], chosen, () => 0.9)).toEqual([two, one]);
});

it("never draws the same voice twice", () => {
  expect(drawPair([one, two], ["", voiceKey(one)], () => 0)).toEqual([two, one]);
  expect(drawPair([one, two], ["", ""], () => 0)).toEqual([one, two]);
  expect(drawPair([one, two], [voiceKey(one), voiceKey(one)])).toBeUndefined();
  expect(drawPair([one], ["", ""])).toBeUndefined();
});

import { expect, it } from "vitest";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import {
  drawableVoices,
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

const of = (...voices: { model: string; voice: string }[]) => ({ voices, drawable: voices });

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

it("draws voices of this machine that know the language, or any voice if these are too few", () => {
  const spanish = { ...own, id: "dora", language: "es" };
  const models = [
    model("tts-1", { languages: ["de", "es"] }),
    model("cloud/tts", { channel: "cloud", voices: [own] }),
    model("piper", { family: "piper", languages: ["de"], voices: [own] }),
    model("mixed", { family: "kokoro", languages: ["de", "es"], voices: [own, spanish] }),
    model("english", { family: "hibari", languages: ["en"] }),
  ];
  expect(drawableVoices(models, "de")).toEqual([
    { model: "piper", voice: "thorsten" },
    { model: "mixed", voice: "thorsten" },
  ]);
  expect(drawableVoices(models, "es")).toEqual(voicesOf(models));
});

it("draws the chosen voices in random order", () => {
  const chosen = [voiceKey(one), voiceKey(two)] as const;
  expect(drawPair(of(one, two, three), chosen, () => 0)).toEqual([one, two]);
  expect(drawPair(of(one, two, three), chosen, () => 0.9)).toEqual([two, one]);
});

it("never draws the same voice twice", () => {
  expect(drawPair(of(one, two), ["", voiceKey(one)], () => 0)).toEqual([two, one]);
  expect(drawPair(of(one, two), ["", ""], () => 0)).toEqual([one, two]);
  expect(drawPair(of(one, two), [voiceKey(one), voiceKey(one)])).toBeUndefined();
  expect(drawPair(of(one), ["", ""])).toBeUndefined();
});

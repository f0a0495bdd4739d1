import { expect, it } from "vitest";
import { toVoiceInfo } from "../../../main/inference/voice-list.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";

const kokoro = shippedModel("kokoro");

it("describes each voice of Kokoro by what was measured of it", () => {
  const all = (kokoro.voices ?? []).map((voice) => toVoiceInfo(kokoro, voice));
  expect(all.filter(({ description, character }) => description === character)).toEqual([]);
  const descriptions = new Map(all.map(({ id, description }) => [id, description]));
  expect(["af_nicole", "am_puck", "am_liam"].map((id) => descriptions.get(id))).toEqual([
    "American woman, deep voice, slow, even melody",
    "American man, fast, lively melody",
    "American man, medium pitch and pace",
  ]);
  expect(new Set(descriptions.values()).size).toBeGreaterThan(25);
});

it("leaves a description as it is, and says nothing that is not known", () => {
  const voice = { id: "x", name: "X", character: "Low", language: "de" };
  expect(toVoiceInfo({ id: "m" }, voice).description).toBe("Low");
  expect(toVoiceInfo({ id: "m" }, { ...voice, register: "low" }).description).toBe(
    "Low, deep voice",
  );
  expect(toVoiceInfo({ id: "m" }, { ...voice, description: "Warm." }).description).toBe("Warm.");
});

import { expect, it } from "vitest";
import { calculateCost } from "../../../main/usage/pricing.ts";
import { defaultPrices } from "../../../main/contract/channels.ts";

const prices = {
  ...defaultPrices,
  "groq/whisper-large-v3": { perMinuteUsd: 0.002 },
  "gpt-4o-mini-tts": { perMinuteUsd: 0.015 },
  "Systran/faster-whisper": { perMinuteUsd: 0.5 },
  free: { perMinuteUsd: 0, perThousandCharactersUsd: 0 },
};

const transcriptionCost = (model: string, isPaid: boolean, audioSec?: number) =>
  calculateCost({ model, isPaid, kind: "transcription", audioSec }, prices);
const speechCost = (model: string, isPaid: boolean, characters?: number, audioSec?: number) =>
  calculateCost({ model, isPaid, kind: "speech", characters, audioSec }, prices);

it("counts the cost at a provider as spent", () => {
  expect(transcriptionCost("whisper-1", true, 30)).toEqual({ spentUsd: 0.003, savedUsd: 0 });
  expect(speechCost("tts-1-hd", true, 500)).toEqual({ spentUsd: 0.015, savedUsd: 0 });
});

it("looks up the whole id, then the part after its prefix", () => {
  expect(transcriptionCost("groq/whisper-large-v3", true, 60).spentUsd).toBe(0.002);
  expect(transcriptionCost("openai/whisper-1", true, 60).spentUsd).toBe(0.006);
  expect(transcriptionCost("speaches/Systran/faster-whisper", true, 60).spentUsd).toBe(0.5);
});

it("prices speech by its duration where it is not priced by its text", () => {
  expect(speechCost("openai/gpt-4o-mini-tts", true, 500, 120).spentUsd).toBe(0.03);
  expect(speechCost("openai/gpt-4o-mini-tts", true, 500)).toEqual({ savedUsd: 0 });
});

it("is unknown at a provider without a known price", () => {
  expect(transcriptionCost("groq/other", true, 60)).toEqual({ savedUsd: 0 });
  expect(transcriptionCost("whisper-1", true)).toEqual({ savedUsd: 0 });
  expect(transcriptionCost("tts-1", true, 60)).toEqual({ savedUsd: 0 });
  expect(transcriptionCost("constructor", true, 60)).toEqual({ savedUsd: 0 });
  expect(transcriptionCost("free", true, 60)).toEqual({ spentUsd: 0, savedUsd: 0 });
});

it("counts the cost on this machine as saved, by the price of the requested model or else of the default model", () => {
  expect(transcriptionCost("whisper-1", false, 60)).toEqual({ spentUsd: 0, savedUsd: 0.006 });
  expect(transcriptionCost("moonshine-base", false, 60)).toEqual({ spentUsd: 0, savedUsd: 0.006 });
  expect(speechCost("tts-1-hd", false, 1000)).toEqual({ spentUsd: 0, savedUsd: 0.03 });
  expect(speechCost("hibari", false, 1000)).toEqual({ spentUsd: 0, savedUsd: 0.015 });
  expect(transcriptionCost("whisper-1", false)).toEqual({ spentUsd: 0 });
  expect(transcriptionCost("free", false, 60)).toEqual({ spentUsd: 0, savedUsd: 0 });
});

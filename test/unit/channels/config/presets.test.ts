import { expect, it } from "vitest";

import { channelPresets } from "../../../../main/channels/config/presets.ts";
import { createModelFilter } from "../../../../main/channels/openai/model-list.ts";
import { channelFields } from "../../../../main/contract/channels.ts";
import type { ChannelPreset } from "../../../../main/contract/channels.ts";

const preset = (id: string): ChannelPreset => {
  const found = channelPresets.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no preset ${id}`);
  return found;
};
const passed = (id: string, models: readonly string[]) =>
  models.filter(createModelFilter(preset(id).modelFilter ?? []));

it("fills in the configuration of a channel for each known provider", () => {
  expect(channelPresets.map(({ id }) => id)).toEqual([
    "openai",
    "groq",
    "speaches",
    "localai",
    "kokoro-fastapi",
    "vllm",
    "hearsay",
  ]);
  for (const one of channelPresets) {
    const fields = channelFields.parse(one);
    expect(fields).toMatchObject({
      name: one.name,
      baseUrl: one.baseUrl,
      prefix: one.prefix,
      enabled: true,
    });
  }
});

it("gives each preset its own name and prefix, so that all can be added unchanged", () => {
  expect(new Set(channelPresets.map(({ name }) => name.toLowerCase())).size).toBe(
    channelPresets.length,
  );
  expect(new Set(channelPresets.map(({ prefix }) => prefix)).size).toBe(channelPresets.length);
});

it("describes each preset in one sentence", () => {
  for (const { note } of channelPresets) expect(note).toMatch(/^[A-Z][^.]{20,140}\.$/);
});

it("admits only speech models of providers that have other models too", () => {
  expect(
    passed("openai", [
      "gpt-4o",
      "whisper-1",
      "gpt-4o-mini-transcribe",
      "gpt-4o-mini-tts",
      "tts-1-hd",
      "dall-e-3",
      "text-embedding-3-small",
      "gpt-4o-audio-preview",
    ]),
  ).toEqual(["whisper-1", "gpt-4o-mini-transcribe", "gpt-4o-mini-tts", "tts-1-hd"]);
  expect(
    passed("groq", [
      "llama-3.3-70b-versatile",
      "whisper-large-v3-turbo",
      "distil-whisper-large-v3-en",
      "canopylabs/orpheus-v1-english",
    ]),
  ).toEqual([
    "whisper-large-v3-turbo",
    "distil-whisper-large-v3-en",
    "canopylabs/orpheus-v1-english",
  ]);
  expect(passed("kokoro-fastapi", ["tts-1", "tts-1-hd", "kokoro"])).toEqual(["kokoro"]);
});

it("maps every voice that clients hard-code to a voice of the provider", () => {
  for (const id of ["groq", "kokoro-fastapi"])
    expect(Object.keys(preset(id).voiceNames ?? {})).toEqual([
      "alloy",
      "echo",
      "fable",
      "onyx",
      "nova",
      "shimmer",
    ]);
});

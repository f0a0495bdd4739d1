// What is refused before any work, by the capabilities of the models that would serve a job.

import { describe, expect, it } from "vitest";
import type { Pool } from "../../../main/engines/pool/pool.ts";
import { createPoolJob } from "../../../main/engines/pool/pool-job.ts";
import { voices } from "../../../main/engines/tts/hibari/voices.ts";
import { createLocalChannel } from "../../../main/inference/local-channel.ts";
import type { InstalledModel, ModelCapabilities } from "../../../main/contract/models.ts";
import type { TranscriptionJob } from "../../../main/contract/speech.ts";
import { shippedModel, shippedModels } from "../../../main/models/shipped-models.ts";
import { transcriptionJob } from "../../support/app.ts";
import { localModels } from "../../support/local-models.ts";

const capable: ModelCapabilities = shippedModel("whisper-base").capabilities;
const model = (
  id: string,
  family: InstalledModel["family"],
  languages: readonly string[],
  capabilities: Partial<ModelCapabilities> = {},
): InstalledModel => ({
  ...shippedModel("whisper-base"),
  id,
  family,
  languages: languages.map((code) => ({ code })),
  capabilities: { ...capable, prompt: false, wordTimes: false, translatesTo: [], ...capabilities },
  origin: "downloaded",
});
const four = ["en", "de", "es", "fr"];
const canary = model("canary", "canary", four, { translatesTo: four, languageDetection: false });
const parakeet = model("parakeet", "parakeet", ["en", "de"], { wordTimes: true });
const senseVoice = model("sense-voice", "sense-voice", ["zh", "en"], { wordTimes: true });
const german = model("zipformer-de", "zipformer", ["de"], { wordTimes: true });
const unknown = model("zipformer", "zipformer", [], { wordTimes: true });

const unused = () => Promise.reject(new Error("nothing may be computed"));

function open(installed: readonly InstalledModel[]) {
  const pool: Pool = {
    size: 1,
    isBusy: () => false,
    pids: () => [],
    memory: () => ({ processes: 0, bytes: 0, models: new Map() }),
    unload() {},
    close: async () => {},
    job: () =>
      createPoolJob({ run: unused, pin: () => ({ session: "", run: unused, release() {} }) }),
  };
  return createLocalChannel({
    pool,
    ...localModels(installed),
    vad: shippedModel("silero-vad"),
    voices,
    tempDir: () => "",
  });
}

const all = [...shippedModels(), canary, parakeet, senseVoice, german, unknown];
const why = (job: Partial<TranscriptionJob>, installed = all) =>
  open(installed).whyUnable?.(transcriptionJob("talk.mp3", job));

describe("a model that was asked for by name", () => {
  it.each<[string, Partial<TranscriptionJob>, string, string, string]>([
    [
      "translation",
      { model: "parakeet", task: "translate" },
      "unsupported_value",
      "model.noTranslation",
      "model",
    ],
    [
      "translation by a model for one other language",
      { model: "zipformer-de", task: "translate" },
      "unsupported_value",
      "model.noTranslation",
      "model",
    ],
    [
      "translation of a language",
      { model: "moonshine-base", task: "translate", language: "de" },
      "unsupported_language",
      "language.noTranslation",
      "language",
    ],
    [
      "a prompt",
      { model: "sense-voice", prompt: "Hibari" },
      "unsupported_value",
      "model.noPrompt",
      "prompt",
    ],
    [
      "times of words",
      { model: "canary", language: "de", wordTimes: true },
      "unsupported_value",
      "model.noWordTimes",
      "timestamp_granularities",
    ],
    [
      "a language",
      { model: "parakeet", language: "ja" },
      "unsupported_language",
      "language.unsupported",
      "language",
    ],
  ])("is refused %s that it cannot do", (_, job, key, id, param) => {
    expect(why(job)).toMatchObject({ key, param, sent: { id } });
  });

  it.each<[string, Partial<TranscriptionJob>]>([
    ["translation", { model: "canary", task: "translate", language: "de" }],
    ["translation of English", { model: "parakeet", task: "translate", language: "en" }],
    ["translation of what may be English", { model: "moonshine-base", task: "translate" }],
    ["a prompt", { model: "whisper-base", prompt: "Hibari" }],
    ["times of words", { model: "sense-voice", wordTimes: true }],
    ["a language", { model: "canary", language: "fr" }],
    ["any language, if none are known", { model: "zipformer", language: "vi" }],
    [
      "times of words and a prompt where they can be left out",
      { model: "canary", language: "de", wordTimes: true, prompt: "Hibari", isBestEffort: true },
    ],
  ])("is given %s that it can do", (_, job) => {
    expect(why(job)).toBeUndefined();
  });

  it("requires the language if nothing here detects it", () => {
    expect(why({ model: "canary" })).toBeUndefined();
    const alone = [shippedModel("silero-vad"), canary];
    expect(why({ model: "canary" }, alone)).toMatchObject({
      key: "missing_field",
      param: "language",
      sent: { id: "model.languageNeeded" },
    });
    expect(why({ model: "canary", language: "de" }, alone)).toBeUndefined();
  });

  it("is refused before anything is read or computed", () => {
    const { transcribe } = open(all);
    const job = transcriptionJob("missing.mp3", { model: "canary", wordTimes: true });
    expect(() => transcribe(job, new AbortController().signal)).toThrow(
      expect.objectContaining({ key: "unsupported_value" }),
    );
  });
});

const chosen = (wordTimes: boolean) =>
  localModels(all, { transcribe: { de: "canary" } })
    .names.transcription("whisper-1", "transcribe", { wordTimes })
    ?.modelFor("de").id;

describe("whisper-1", () => {
  it("takes a model with times of words if these are asked for", () => {
    expect(chosen(false)).toBe("canary");
    expect(chosen(true)).toBe("zipformer-de");
  });

  it("is not refused a prompt, which some of its models take", () => {
    expect(why({ prompt: "Hibari" })).toBeUndefined();
  });

  it("is refused times of words if no model gives them", () => {
    expect(
      why({ wordTimes: true, language: "de" }, [shippedModel("silero-vad"), canary]),
    ).toMatchObject({ sent: { id: "model.noWordTimes" } });
  });

  it("is refused to translate if no model can", () => {
    expect(
      why({ task: "translate" }, [shippedModel("silero-vad"), parakeet, senseVoice]),
    ).toMatchObject({ sent: { id: "model.noTranslation", params: { model: "whisper-1" } } });
  });
});

it("lists the names that translate instead", () => {
  expect(why({ model: "parakeet", task: "translate" })?.message).toBe(
    "The model 'parakeet' does not translate (whisper-1 or whisper-base or canary translates other languages).",
  );
});

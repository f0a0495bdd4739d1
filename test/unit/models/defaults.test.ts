import { describe, expect, it } from "vitest";
import type { InstalledModel } from "../../../main/contract/models.ts";
import type { ModelChoices } from "../../../main/contract/preferences.ts";
import { createMessage } from "../../../main/contract/messages/messages.ts";
import { shippedModel, shippedModels } from "../../../main/models/shipped-models.ts";
import { localModels } from "../../support/local-models.ts";

const whisper = shippedModel("whisper-base");
const hibari = shippedModel("hibari");
const codes = (...languages: string[]) => languages.map((code) => ({ code }));

const recognizer = (id: string, languages: string[], sizeMb: number): InstalledModel => ({
  ...whisper,
  id,
  family: "parakeet",
  languages: codes(...languages),
  capabilities: { ...whisper.capabilities, languageDetection: false, translatesTo: [] },
  files: [{ name: "model.onnx", sizeBytes: sizeMb * 1e6, sha256: "" }],
  origin: "downloaded",
});
const european = recognizer("european", ["en", "de", "fr"], 670);
const german = recognizer("german", ["de"], 100);
const whisperSmall: InstalledModel = {
  ...whisper,
  id: "whisper-small",
  files: [{ name: "model.onnx", sizeBytes: 252e6, sha256: "" }],
  origin: "downloaded",
};
const voice = (id: string, language: string): InstalledModel => ({
  ...hibari,
  id,
  family: "piper",
  languages: codes(language),
  voices: [{ id: `${id}-voice`, name: id, character: "", language }],
});

const open = (extra: InstalledModel[], choices?: Partial<ModelChoices>) =>
  localModels([...shippedModels(), ...extra], choices).names;

/** Ids of the models that take English, German, Japanese and an unknown language, and the detector's. */
function transcribers(
  extra: InstalledModel[],
  choices?: Partial<ModelChoices>,
  task: "transcribe" | "translate" = "transcribe",
) {
  const found = open(extra, choices).transcription("whisper-1", task);
  const languages = ["en", "de", "ja", undefined];
  return [...languages.map((language) => found?.modelFor(language).id), found?.detector?.id];
}

describe("whisper-1", () => {
  it("takes the model made for the fewest languages, and of these the largest", () => {
    const base = "whisper-base";
    expect(transcribers([])).toEqual(["moonshine-base", base, base, base, base]);
    expect(transcribers([european])).toEqual(["moonshine-base", "european", base, base, base]);
    expect(transcribers([european, german])[1]).toBe("german");
    expect(transcribers([whisperSmall])).toEqual([
      "moonshine-base",
      "whisper-small",
      "whisper-small",
      "whisper-small",
      base,
    ]);
  });

  it("takes a model without punctuation after others made for as few languages", () => {
    const zipformer: InstalledModel = {
      ...recognizer("zipformer", ["en"], 300),
      family: "zipformer",
    };
    expect(transcribers([zipformer])[0]).toBe("moonshine-base");
  });

  it("takes a streaming model after all others, but follows speech with it", () => {
    const streaming: InstalledModel = {
      ...recognizer("streaming", ["de"], 70),
      family: "zipformer-streaming",
      capabilities: { ...german.capabilities, streaming: true },
    };
    expect(transcribers([streaming])[1]).toBe("whisper-base");
    expect(transcribers([streaming], { transcribe: { de: "streaming" } })[1]).toBe("streaming");
    const { names } = localModels([...shippedModels(), streaming]);
    const follows = (name: string, language?: string) =>
      names.transcription(name, "transcribe")?.streamingModelFor?.(language)?.id;
    expect(follows("whisper-1", "de")).toBe("streaming");
    expect([follows("whisper-1", "en"), follows("whisper-1")]).toEqual([undefined, undefined]);
    expect(follows("whisper-base", "de")).toBeUndefined();
    const measured = { doubt: createMessage("model.silence"), measuredAt: 1 };
    const doubtful = open([{ ...streaming, measured }]).transcription("whisper-1", "transcribe");
    expect(doubtful?.streamingModelFor?.("de")).toBeUndefined();
  });

  it("takes a model that was wrong in its trial only if there is no other, or it was chosen", () => {
    const doubtful: InstalledModel = {
      ...german,
      measured: { doubt: createMessage("model.silence"), measuredAt: 1 },
    };
    expect(transcribers([doubtful])[1]).toBe("whisper-base");
    expect(transcribers([doubtful], { transcribe: { de: "german" } })[1]).toBe("german");
    const alone = localModels([doubtful, shippedModel("silero-vad")]).names;
    expect(alone.transcription("whisper-1", "transcribe")?.modelFor("de").id).toBe("german");
  });

  it("takes what was chosen for the language, then what was chosen for the others", () => {
    const all = [european, german, whisperSmall];
    expect(transcribers(all, { transcribe: { de: "whisper-base" } })[1]).toBe("whisper-base");
    expect(transcribers(all, { transcribe: { other: "whisper-base" } })).toEqual([
      "moonshine-base",
      "whisper-base",
      "whisper-base",
      "whisper-base",
      "whisper-base",
    ]);
    expect(transcribers(all, { transcribe: { en: "european" } })[0]).toBe("european");
  });

  it("ignores a choice that is not there, is damaged, or does not know the language", () => {
    const damaged = createMessage("model.incomplete", { file: "model.onnx", model: "german" });
    expect(transcribers([], { transcribe: { de: "german" } })[1]).toBe("whisper-base");
    expect(transcribers([{ ...german, damaged }], { transcribe: { de: "german" } })[1]).toBe(
      "whisper-base",
    );
    expect(transcribers([german], { transcribe: { ja: "german" } })[2]).toBe("whisper-base");
  });

  it("translates with models that can, and transcribes English", () => {
    expect(transcribers([european, german], {}, "translate").slice(0, 3)).toEqual([
      "moonshine-base",
      "whisper-base",
      "whisper-base",
    ]);
    expect(
      transcribers([whisperSmall], { translate: { de: "whisper-base" } }, "translate").slice(0, 3),
    ).toEqual(["moonshine-base", "whisper-base", "whisper-small"]);
  });

  it("tries the English model before the language is known only if its confidence identifies English", () => {
    const chosen = { transcribe: { en: "european" } };
    expect(open([]).transcription("whisper-1", "transcribe")?.englishFirst?.id).toBe(
      "moonshine-base",
    );
    expect(
      open([european], chosen).transcription("whisper-1", "transcribe")?.englishFirst,
    ).toBeUndefined();
  });
});

it("detects the language for a model by name that cannot", () => {
  const byName = (id: string) => open([european, german]).transcription(id, "transcribe");
  expect(byName("european")?.detector?.id).toBe("whisper-base");
  expect(byName("whisper-base")?.detector?.id).toBe("whisper-base");
  expect(byName("german")?.detector).toBeUndefined();
  expect(open([european]).transcription("european", "translate")).toBeUndefined();
  expect(open([]).transcription("hibari", "transcribe")).toBeUndefined();
});

/** Ids of the models that `tts-1` and `tts-1-hd` stand for. */
const speechModels = (
  extra: InstalledModel[],
  language?: string,
  choices?: Partial<ModelChoices>,
) =>
  ["tts-1", "tts-1-hd"].map(
    (name) => open(extra, choices).speech(name, "alloy", language)?.model.id,
  );

describe("tts-1", () => {
  it("takes a model for the language of the text, else the one for English", () => {
    const extra = [voice("thorsten", "de")];
    expect(speechModels(extra, "de")).toEqual(["thorsten", "thorsten"]);
    expect(speechModels(extra, "en")).toEqual(["hibari", "kokoro"]);
    expect(speechModels(extra, "fi")).toEqual(["hibari", "kokoro"]);
    expect(speechModels(extra, "es")).toEqual(["kokoro", "kokoro"]);
    expect(speechModels([], "de")).toEqual(["hibari", "kokoro"]);
    expect(speechModels([voice("amy", "en")], "en")).toEqual(["hibari", "kokoro"]);
  });

  it("takes what was chosen, each name for itself", () => {
    const extra = [voice("thorsten", "de"), voice("kerstin", "de"), voice("amy", "en")];
    expect(
      speechModels(extra, "de", { speak: { de: "kerstin" }, speakHd: { de: "thorsten" } }),
    ).toEqual(["kerstin", "thorsten"]);
    expect(speechModels(extra, "en", { speak: { en: "amy" }, speakHd: { en: "hibari" } })).toEqual([
      "amy",
      "hibari",
    ]);
  });

  it("takes the model that has the voice, whatever the language", () => {
    const names = open([voice("thorsten", "de")]);
    expect(names.speech("tts-1", "thorsten-voice", "en")?.model.id).toBe("thorsten");
  });

  it("takes the Kokoro that comes with the app before the same voices by another engine", () => {
    const kokoro = shippedModel("kokoro");
    const other = (id: string, ...languages: string[]): InstalledModel => ({
      ...kokoro,
      id,
      family: "kokoro",
      languages: languages.length === 0 ? kokoro.languages : codes(...languages),
      files: [{ name: "model.onnx", sizeBytes: 346e6, sha256: "" }],
      origin: "downloaded",
    });
    const extra = [other("large"), other("english", "en")];
    const takes = (name: string, language: string, choices?: Partial<ModelChoices>) =>
      open(extra, choices).speech("tts-1", name, language)?.model.id;
    expect(speechModels(extra, "es")).toEqual(["kokoro", "kokoro"]);
    expect([takes("nova", "fr"), takes("ef_dora", "es"), takes("af_bella", "en")]).toEqual(
      Array(3).fill("kokoro"),
    );
    expect(takes("ef_dora", "es", { speak: { es: "large" } })).toBe("large");
    expect(takes("af_bella", "en", { speak: { en: "english" } })).toBe("english");
  });
});

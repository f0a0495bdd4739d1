import {
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { languageNames } from "../../../main/contract/languages.ts";
import { catalog } from "../../../main/models/catalog.ts";
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import {
  shippedModel,
  shippedModels,
  shippedWeightsDir,
  toUnpackedPath,
} from "../../../main/models/shipped-models.ts";
import { localModels } from "../../support/local-models.ts";

const offered = (dir?: string) => localModels(shippedModels(dir)).names;

it("offers the model names that clients hard-code, and each model under its own name", () => {
  const names = offered();
  expect(names.list().map(({ id, kind, ownedBy }) => [id, kind, ownedBy])).toEqual([
    ["whisper-1", "speech-to-text", "hearsay"],
    ["tts-1", "text-to-speech", "hearsay"],
    ["tts-1-hd", "text-to-speech", "hearsay"],
    ["moonshine-base", "speech-to-text", "useful-sensors"],
    ["whisper-base", "speech-to-text", "openai"],
    ["hibari", "text-to-speech", "maureese-williams"],
    ["kokoro", "text-to-speech", "hexgrad"],
  ]);
  expect(names.speech("tts-1")).toMatchObject({ quality: "standard", model: { id: "hibari" } });
  expect(names.speech("tts-1-hd")).toMatchObject({ quality: "high", model: { id: "kokoro" } });
});

it("reports when the weights were released", () => {
  for (const { created } of offered().list()) {
    expect(Number.isInteger(created)).toBe(true);
    expect(new Date(created * 1000).getUTCFullYear()).toBeGreaterThan(2020);
  }
});

it.each(shippedCatalog.map(({ id }) => id))("ships every file of %s with its true size", (id) => {
  const { dir, files } = shippedModel(id);
  expect(files.map(({ name }) => [name, statSync(join(dir, name)).size])).toEqual(
    files.map(({ name, sizeBytes }) => [name, sizeBytes]),
  );
});

it("says of every voice that can be had whose it is, and of which region", () => {
  const voices = catalog.flatMap((entry) => (entry.sources.length > 0 ? (entry.voices ?? []) : []));
  const { gender, region } = voices.find(({ id }) => id === "lessac") ?? {};
  expect([gender, region]).toEqual(["female", "US"]);
  expect(voices.filter((each) => each.gender === undefined || each.region === undefined)).toEqual(
    [],
  );
});

it("gives every model an id of its own, which is also a safe name of a folder", () => {
  const ids = catalog.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
});

it("lists only models whose files can be fetched at a fixed revision and verified", () => {
  for (const { sources, files, languages } of catalog.slice(shippedCatalog.length)) {
    for (const { revision } of sources) expect(revision).toMatch(/^[0-9a-f]{40}$/);
    for (const { name } of files)
      expect(sources.filter(({ paths = { [name]: name } }) => name in paths)).toHaveLength(1);
    for (const { sha256, sizeBytes } of files) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(sizeBytes).toBeGreaterThan(0);
    }
    expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
    for (const { code } of languages) expect(languageNames.has(code)).toBe(true);
  }
});

it("names who measured an error rate, and what was counted", () => {
  const rates = catalog.flatMap(({ id, languages }) =>
    languages.flatMap(({ code, errorRate }) =>
      errorRate === undefined ? [] : [{ id, code, ...errorRate }],
    ),
  );
  for (const { rate, url, testSet } of rates) {
    expect(rate).toBeGreaterThan(0);
    expect(URL.canParse(url)).toBe(true);
    expect(testSet).not.toBe("");
  }
  const of = (id: string, code: string) =>
    rates.find((rate) => rate.id === id && rate.code === code);
  expect(of("whisper-large-v3-turbo", "yue")).toMatchObject({ rate: 0.3462, unit: "characters" });
  expect(of("whisper-base", "yue")).toBeUndefined();
  expect(of("moonshine-v2-base-vi", "vi")).toMatchObject({ unit: "words" });
  expect(of("moonshine-v2-base-ar", "ar")?.testSet).not.toBe(of("whisper-base", "ar")?.testSet);
});

it("ships a licence with every model", () => {
  for (const { id } of shippedCatalog)
    expect(readdirSync(join(shippedWeightsDir, id))).toContain("LICENSE");
});

it("rejects a model that is not in the catalog", () => {
  expect(() => shippedModel("whisper-large")).toThrow("whisper-large");
});

/** A folder with the weights of some models. */
function weightsOf(...ids: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "hearsay-weights-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const id of ids) symlinkSync(join(shippedWeightsDir, id), join(dir, id));
  return dir;
}
const behindNames = (dir: string) =>
  offered(dir)
    .list()
    .map(({ id }) => [
      id,
      ...offered(dir)
        .behind(id)
        .map((model) => model.id),
    ]);

describe("without some of the weights", () => {
  it("only English is transcribed when Whisper is missing", () => {
    const dir = weightsOf("moonshine-base", "silero-vad");
    expect(behindNames(dir)).toEqual([
      ["whisper-1", "moonshine-base"],
      ["moonshine-base", "moonshine-base"],
    ]);
    expect(offered(dir).transcription("whisper-1", "transcribe")?.languages).toEqual(["en"]);
    expect(offered(dir).transcription("whisper-1", "translate")).toBeUndefined();
  });

  it("every language is transcribed by Whisper when Moonshine is missing", () => {
    expect(behindNames(weightsOf("whisper-base", "silero-vad"))).toEqual([
      ["whisper-1", "whisper-base"],
      ["whisper-base", "whisper-base"],
    ]);
  });

  it("nothing is transcribed when the VAD model is missing", () => {
    const dir = weightsOf("whisper-base", "moonshine-base", "hibari");
    expect(behindNames(dir).map(([id]) => id)).toEqual(["tts-1", "tts-1-hd", "hibari"]);
  });

  it("nothing at all is offered when all are missing", () => {
    expect(behindNames(weightsOf())).toEqual([]);
  });

  it("a model with a truncated file is left out too", () => {
    const dir = weightsOf("silero-vad");
    cpSync(join(shippedWeightsDir, "moonshine-base"), join(dir, "moonshine-base"), {
      recursive: true,
    });
    expect(behindNames(dir)).toHaveLength(2);
    writeFileSync(join(dir, "moonshine-base", "vocabulary.json"), "[");
    expect(behindNames(dir)).toEqual([]);
  });
});

it("resolves files that libraries open by path to the folder next to a packaged app", () => {
  expect(toUnpackedPath("/opt/Hearsay/resources/app.asar/main/engines/weights")).toBe(
    "/opt/Hearsay/resources/app.asar.unpacked/main/engines/weights",
  );
  expect(toUnpackedPath("C:\\Hearsay\\resources\\app.asar\\main\\engines")).toBe(
    "C:\\Hearsay\\resources\\app.asar.unpacked\\main\\engines",
  );
  for (const path of [
    "/home/me/my-app.asar-files/main",
    "/home/me/hearsay/main/engines/weights",
    "/opt/app.asar.unpacked/main",
  ])
    expect(toUnpackedPath(path)).toBe(path);
});

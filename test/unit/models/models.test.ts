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
import { catalog } from "../../../main/models/catalog.ts";
import { shippedCatalog } from "../../../main/models/catalog/shipped.ts";
import { listOfferedModels } from "../../../main/models/offered-models.ts";
import {
  shippedModel,
  shippedWeightsDir,
  toUnpackedPath,
} from "../../../main/models/shipped-models.ts";

it("offers the model names that clients hard-code, and each model under its own name", () => {
  const byId = new Map(listOfferedModels().map((model) => [model.id, model]));
  expect(byId.get("whisper-1")).toMatchObject({
    kind: "speech-to-text",
    ownedBy: "hearsay",
    model: { id: "moonshine-base" },
  });
  expect(byId.get("tts-1")).toMatchObject({
    kind: "text-to-speech",
    quality: "standard",
    model: { id: "hibari" },
  });
  expect(byId.get("tts-1-hd")).toMatchObject({
    kind: "text-to-speech",
    quality: "high",
    model: { id: "hibari" },
  });
  expect(byId.get("moonshine-base")?.ownedBy).toBe("useful-sensors");
  expect(byId.has("silero-vad")).toBe(false);
  expect(byId.size).toBe(listOfferedModels().length);
});

it("reports when the weights were released", () => {
  for (const { created } of listOfferedModels()) {
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

it("gives every model an id of its own, which is also a safe name of a folder", () => {
  const ids = catalog.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
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
const offered = (dir: string) =>
  listOfferedModels(dir).map(({ id, model, multilingual }) => [id, model.id, multilingual?.id]);

describe("without some of the weights", () => {
  it("only English is transcribed when Whisper is missing", () => {
    const dir = weightsOf("moonshine-base", "silero-vad");
    expect(offered(dir)).toEqual([
      ["whisper-1", "moonshine-base", undefined],
      ["moonshine-base", "moonshine-base", undefined],
    ]);
    expect(listOfferedModels(dir).find(({ id }) => id === "whisper-1")).toMatchObject({
      model: { languages: [{ code: "en" }], capabilities: { translatesTo: [] } },
    });
  });

  it("every language is transcribed by Whisper when Moonshine is missing", () => {
    expect(offered(weightsOf("whisper-base", "silero-vad"))).toEqual([
      ["whisper-1", "whisper-base", undefined],
      ["whisper-base", "whisper-base", undefined],
    ]);
  });

  it("nothing is transcribed when the VAD model is missing", () => {
    expect(
      offered(weightsOf("whisper-base", "moonshine-base", "hibari")).map(([id]) => id),
    ).toEqual(["tts-1", "tts-1-hd", "hibari"]);
  });

  it("nothing at all is offered when all are missing", () => {
    expect(offered(weightsOf())).toEqual([]);
  });

  it("a model with a truncated file is left out too", () => {
    const dir = weightsOf("silero-vad");
    cpSync(join(shippedWeightsDir, "moonshine-base"), join(dir, "moonshine-base"), {
      recursive: true,
    });
    expect(offered(dir)).toHaveLength(2);
    writeFileSync(join(dir, "moonshine-base", "vocabulary.json"), "[");
    expect(offered(dir)).toEqual([]);
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

import { expect, it } from "vitest";
import type { ListedModel } from "../../../../../main/contract/window-api.ts";
import {
  choicesFor,
  defaultLanguages,
  lostLanguages,
  rowsOf,
  takenModels,
  withChoice,
} from "../../../../../renderer/features/models/defaults.ts";

const model = (id: string, languages: string[], more: Partial<ListedModel> = {}): ListedModel => ({
  id,
  state: "ready",
  kind: "speech-to-text",
  ownedBy: "",
  channel: "local",
  family: "whisper",
  languages,
  ...more,
});
const models = [
  model("english", ["en"]),
  model("many", ["en", "de", "fr"]),
  model("voice", ["de"], { kind: "text-to-speech" }),
  model("cloud/whisper", ["de"], { channel: "Cloud" }),
  // A name that stands for models, as `whisper-1`.
  { id: "whisper-1", state: "ready", kind: "speech-to-text", ownedBy: "", channel: "local" },
] satisfies ListedModel[];
const none = { transcribe: {}, translate: {}, speak: {}, speakHd: {} };

const ids = (...args: [kind: "transcribe" | "speakHd", language: string]) =>
  choicesFor(models, ...args).map(({ id }) => id);

it("offers the models on this machine that can do it in the language", () => {
  expect(ids("transcribe", "en")).toEqual(["english", "many"]);
  expect(ids("transcribe", "de")).toEqual(["many"]);
  expect(ids("transcribe", "other")).toEqual(["english", "many"]);
  expect(ids("speakHd", "de")).toEqual(["voice"]);
});

it("has a row for English, for chosen and added languages, and for all others", () => {
  expect(rowsOf("transcribe", { de: "many", other: "many" }, ["fr"])).toEqual([
    "en",
    "de",
    "fr",
    "other",
  ]);
  expect(rowsOf("translate", {}, [])).toEqual(["other"]);
});

it("sets a choice, and removes it", () => {
  const chosen = withChoice(none, "transcribe", "de", "many");
  expect(chosen).toEqual({ ...none, transcribe: { de: "many" } });
  expect(withChoice(chosen, "transcribe", "de", undefined)).toEqual(none);
});

it("reports what the removal of a model changes", () => {
  const defaults = { ...none, transcribe: { en: "english", de: "many", other: "many" } };
  expect(defaultLanguages("many", defaults)).toEqual(["de"]);
  expect(lostLanguages(models[1] as ListedModel, models)).toEqual(["de", "fr"]);
  expect(lostLanguages(models[0] as ListedModel, models)).toEqual([]);
});

it("names the models of all other languages by those languages", () => {
  const taken = { en: "hibari", es: "kokoro", fr: "kokoro", other: "hibari" };
  expect(takenModels(taken, "en", ["en", "other"])).toEqual(["hibari"]);
  expect(takenModels(taken, "other", ["en", "other"])).toEqual(["kokoro"]);
  expect(takenModels(taken, "other", ["en", "es", "fr", "other"])).toEqual(["hibari"]);
  expect(takenModels(taken, "de", ["en", "de", "other"])).toEqual(["hibari"]);
  expect(takenModels({}, "other", ["other"])).toEqual([]);
});

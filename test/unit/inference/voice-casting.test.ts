import { expect, it } from "vitest";
import type { InstalledModel } from "../../../main/contract/models.ts";
import { castText } from "../../../main/inference/voice-casting.ts";
import { kokoroLanguages, kokoroVoices } from "../../../main/models/kokoro-voices.ts";
import { shippedModel, shippedModels } from "../../../main/models/shipped-models.ts";
import { detectTextLanguage } from "../../../main/text/text-language.ts";
import { localModels } from "../../support/local-models.ts";

const english = "The ferry leaves the old harbor every morning, and it is the only one there was.";
const spanish = "El barco sale del puerto por la mañana, y es el único que hay en la ciudad.";
const french = "Le bateau quitte le port tous les matins, et c'est le seul qui est dans la ville.";
const german = "Das Schiff verlässt den Hafen jeden Morgen, und es ist das einzige in der Stadt.";

const thorsten: InstalledModel = {
  ...shippedModel("hibari"),
  id: "piper-de-thorsten",
  family: "piper",
  languages: [{ code: "de" }],
  voices: [{ id: "thorsten", name: "Thorsten", character: "", language: "de" }],
};

const kokoro: InstalledModel = {
  ...shippedModel("hibari"),
  id: "kokoro",
  family: "kokoro-compact",
  languages: kokoroLanguages,
  voices: kokoroVoices,
};

function cast(text: string, voice: string, model = "tts-1", extra: readonly InstalledModel[] = []) {
  const { names } = localModels([...shippedModels(), kokoro, ...extra]);
  const job = { model, text, voice, speed: 1, format: "wav" as const };
  const chosen = names.speech(model, voice, detectTextLanguage(text));
  if (chosen === undefined) throw new Error(`no model for ${model}`);
  const { sentences, takenOverBy, warning } = castText(names, job, chosen);
  const roles = sentences.map((sentence) => `${sentence.model.id} ${sentence.voice}`);
  return { roles: [...new Set(roles)], takenOverBy, warning: warning?.message };
}

it("gives English to Hibari under tts-1 and to Kokoro's voices of these names under tts-1-hd", () => {
  expect(cast(english, "nova")).toEqual({
    roles: ["hibari nova"],
    takenOverBy: [],
    warning: undefined,
  });
  const names = ["alloy", "echo", "fable", "onyx", "nova", "shimmer"];
  expect(names.flatMap((name) => cast(english, name, "tts-1-hd").roles)).toEqual([
    "kokoro af_alloy",
    "kokoro am_echo",
    "kokoro bm_fable",
    "kokoro am_onyx",
    "kokoro af_nova",
    "kokoro af_sky",
  ]);
});

it("lets a voice of the language and gender take over", () => {
  expect(cast(spanish, "nova")).toEqual({
    roles: ["kokoro ef_dora"],
    takenOverBy: ["ef_dora"],
    warning: undefined,
  });
  expect(cast(spanish, "onyx", "tts-1-hd").takenOverBy).toEqual(["em_alex"]);
  expect(cast(spanish, "am_adam").takenOverBy).toEqual(["em_alex"]);
  expect(cast(spanish, "af_bella(2)+af_sky").takenOverBy).toEqual(["ef_dora"]);
  expect(cast(french, "onyx").takenOverBy).toEqual(["ff_siwis"]);
  expect(cast(english, "ef_dora").takenOverBy).toEqual(["af_nova"]);
});

it("leaves a voice its own language, and a text in doubt", () => {
  expect(cast(spanish, "em_santa")).toMatchObject({ roles: ["kokoro em_santa"], takenOverBy: [] });
  expect(cast("¿Hola?", "ef_dora")).toMatchObject({ roles: ["kokoro ef_dora"], takenOverBy: [] });
  expect(cast("Okay.", "ef_dora")).toMatchObject({ roles: ["kokoro ef_dora"], takenOverBy: [] });
});

it("casts each paragraph by its language", () => {
  const { roles, takenOverBy } = cast(`${english}\n\n${spanish}\n\n${french}`, "onyx");
  expect(roles).toEqual(["hibari onyx", "kokoro em_alex", "kokoro ff_siwis"]);
  expect(takenOverBy).toEqual(["em_alex", "ff_siwis"]);
});

it("keeps to a model that was asked for by name, and warns", () => {
  expect(cast(spanish, "nova", "hibari")).toEqual({
    roles: ["hibari nova"],
    takenOverBy: [],
    warning:
      "nova reads Spanish as if it were its own language: no voice that knows it can take over.",
  });
  expect(cast(spanish, "nova", "kokoro").takenOverBy).toEqual(["ef_dora"]);
});

it("warns where no voice knows the language, until one is installed", () => {
  expect(cast(german, "nova", "tts-1-hd")).toMatchObject({
    roles: ["kokoro af_nova"],
    takenOverBy: [],
    warning: expect.stringContaining("German"),
  });
  expect(cast(german, "bm_fable", "tts-1", [thorsten])).toMatchObject({
    roles: ["piper-de-thorsten thorsten"],
    takenOverBy: ["thorsten"],
    warning: undefined,
  });
});

it("leaves a voice all languages of its model that no other voice of it is for", () => {
  const bilingual: InstalledModel = {
    ...thorsten,
    id: "bilingual",
    languages: [{ code: "fr" }, { code: "de" }],
    voices: [{ id: "marie", name: "Marie", character: "", language: "fr" }],
  };
  expect(cast(german, "marie", "tts-1", [bilingual])).toEqual({
    roles: ["bilingual marie"],
    takenOverBy: [],
    warning: undefined,
  });
  const withTwo = { ...bilingual, voices: [...bilingual.voices!, ...thorsten.voices!] };
  expect(cast(german, "marie", "tts-1", [withTwo]).takenOverBy).toEqual(["thorsten"]);
});

it("translates names within a blend", () => {
  expect(cast(english, "nova(2)+bm_lewis").roles).toEqual(["kokoro af_nova(2)+bm_lewis"]);
});

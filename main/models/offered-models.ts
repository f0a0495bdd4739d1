// The built-in models whose files are installed, under their own names and under the names fixed in OpenAI's clients.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { InstalledModel, OfferedModel } from "../contract/models.ts";
import { shippedCatalog } from "./catalog/shipped.ts";
import { shippedModel } from "./shipped-models.ts";

/** A name → catalog models it may stand for: the first one installed, and one that transcribes other languages. */
type ModelName = { id: string; models: readonly string[]; quality?: "standard" | "high" };
const aliases: readonly ModelName[] = [
  { id: "whisper-1", models: ["moonshine-base", "whisper-base"] },
  { id: "tts-1", models: ["hibari"] },
  { id: "tts-1-hd", models: ["hibari"], quality: "high" },
];

/**
 * Models may be left out of an installation: a model with a missing file, or one of the wrong size, is not listed.
 * Checksums are verified on loading.
 */
export function listOfferedModels(weightsDir?: string): OfferedModel[] {
  const installed = shippedCatalog
    .map(({ id }) => shippedModel(id, weightsDir))
    .filter(isInstalled);
  const hasVad = installed.some(({ kind }) => kind === "voice-activity");
  const names: ModelName[] = [...aliases, ...installed.map(({ id }) => ({ id, models: [id] }))];
  return names.flatMap(({ id, models, quality = "standard" }) => {
    const [model, ...alternatives] = models.flatMap(
      (modelId) => installed.find((candidate) => candidate.id === modelId) ?? [],
    );
    if (
      model === undefined ||
      model.kind === "voice-activity" ||
      (model.kind === "speech-to-text" && !hasVad)
    )
      return [];
    const { kind, created, ownedBy } = model;
    const multilingual = alternatives.find(
      ({ languages }) => languages.length > model.languages.length,
    );
    return [
      {
        id,
        kind,
        created,
        ownedBy: id === model.id ? ownedBy : "hearsay",
        quality,
        model,
        ...(multilingual === undefined ? {} : { multilingual }),
      },
    ];
  });
}

const isInstalled = ({ dir, files }: InstalledModel): boolean =>
  files.every(
    ({ name, sizeBytes }) =>
      statSync(join(dir, name), { throwIfNoEntry: false })?.size === sizeBytes,
  );

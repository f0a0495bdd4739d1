// The built-in models whose files are installed, under their own names and under the names fixed in OpenAI's clients.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { InstalledModel, ModelBundle } from "../contract/speech.ts";
import { catalog } from "./catalog.ts";
import { modelBundle } from "./store.ts";

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
export function listInstalledModels(weightsDir?: string): InstalledModel[] {
  const installed = catalog.filter(({ id }) => isInstalled(modelBundle(id, weightsDir)));
  const hasVad = installed.some(({ kind }) => kind === "voice-activity");
  const names: ModelName[] = [...aliases, ...catalog.map(({ id }) => ({ id, models: [id] }))];
  return names.flatMap(({ id, models, quality = "standard" }) => {
    const [first, ...alternatives] = models.flatMap(
      (model) => installed.find((entry) => entry.id === model) ?? [],
    );
    if (
      first === undefined ||
      first.kind === "voice-activity" ||
      (first.kind === "speech-to-text" && !hasVad)
    )
      return [];
    const { kind, created, ownedBy, licence } = first;
    const multilingual = alternatives.find(
      ({ languages }) => languages.length > first.languages.length,
    );
    const { languages, translatesTo } = multilingual ?? first;
    return [
      {
        id,
        kind,
        created,
        ownedBy: id === first.id ? ownedBy : "hearsay",
        languages,
        translatesTo,
        quality,
        licence,
        bundle: modelBundle(first.id, weightsDir),
        ...(multilingual === undefined
          ? {}
          : { multilingual: modelBundle(multilingual.id, weightsDir) }),
      },
    ];
  });
}

const isInstalled = ({ dir, files }: ModelBundle): boolean =>
  files.every(
    ({ name, sizeBytes }) =>
      statSync(join(dir, name), { throwIfNoEntry: false })?.size === sizeBytes,
  );

// The models that come with the app, and where their files are. The engine that loads a file verifies it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InstalledModel } from "../contract/models.ts";
import { shippedCatalog } from "./catalog/shipped.ts";
import { withFilesChecked } from "./model-check.ts";

/** Folder of the weights shipped with the app, one subfolder per model id. */
export const shippedWeightsDir = toUnpackedPath(
  join(import.meta.dirname, "..", "engines", "weights"),
);

/**
 * The packed desktop app is one asar file, which native libraries cannot read. Files they open by path are next to it
 * in `app.asar.unpacked`, the convention of Electron's packagers.
 */
export function toUnpackedPath(path: string): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, "$1.unpacked");
}

/** Those with all their files, and those with a damaged one: an installation may leave out models. */
export function shippedModels(weightsDir?: string): InstalledModel[] {
  return shippedCatalog
    .map(({ id }) => shippedModel(id, weightsDir))
    .filter(({ dir, files }) => files.some(({ name }) => existsSync(join(dir, name))))
    .map(withFilesChecked);
}

/** @throws Error if no such model comes with the app */
export function shippedModel(id: string, weightsDir: string = shippedWeightsDir): InstalledModel {
  const entry = shippedCatalog.find((shipped) => shipped.id === id);
  if (entry === undefined) throw new Error(`no model ${id} comes with the app`);
  return {
    ...entry,
    ...(entry.uses === undefined ? {} : { usedModel: shippedModel(entry.uses, weightsDir) }),
    dir: join(weightsDir, id),
    origin: "shipped",
    installedAt: 0,
  };
}

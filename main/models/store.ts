// Where the files of installed models are. See catalog.ts for the models; the engine that loads a file verifies it.

import { join } from "node:path";
import type { ModelBundle } from "../contract/speech.ts";
import { catalog } from "./catalog.ts";

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

/** @throws Error if the catalog has no such model */
export function modelBundle(id: string, weightsDir: string = shippedWeightsDir): ModelBundle {
  const model = catalog.find((entry) => entry.id === id);
  if (model === undefined) throw new Error(`the catalogue has no model ${id}`);
  const { engine, files, batchMaxSec, singlePassMaxSec } = model;
  return {
    id,
    engine,
    dir: join(weightsDir, id),
    files,
    ...(batchMaxSec === undefined ? {} : { batchMaxSec }),
    ...(singlePassMaxSec === undefined ? {} : { singlePassMaxSec }),
  };
}

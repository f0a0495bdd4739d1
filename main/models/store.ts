// Where the files of installed models lie. See catalog.ts for which models there are; their bytes are checked by
// the engine that loads them.

import { join } from "node:path";
import type { ModelBundle } from "../contract/speech.ts";
import { catalog } from "./catalog.ts";

/** Where the weights that ship with the app lie, one folder per model id. */
export const shippedWeightsDir = toUnpackedPath(
  join(import.meta.dirname, "..", "engines", "weights"),
);

/** The packed desktop app is one file, which libraries cannot read: what they open by its path lies beside it, as Electron's packers do it. */
export function toUnpackedPath(path: string): string {
  return path.replace(/([\\/]app\.asar)(?=[\\/])/, "$1.unpacked");
}

/** @throws Error where the catalogue has no such model */
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

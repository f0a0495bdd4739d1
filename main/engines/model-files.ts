// Reads model files and verifies them against the catalog.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { InstalledModel } from "../contract/models.ts";

/** Returns a file's bytes after checking size and sha256. */
export type ReadModelFile = (fileName: string) => Promise<Buffer>;

/**
 * @throws AppError `model_unusable` when a file is read that is missing or differs from the catalog; it names model and
 * file
 */
export function createModelFileReader(model: InstalledModel): ReadModelFile {
  return async (fileName) => {
    const file = model.files.find(({ name }) => name === fileName);
    if (file === undefined) throw new Error(`${model.id} lists no file ${fileName}`);
    const bytes = await readFile(join(model.dir, fileName)).catch((cause: unknown) => {
      throw new AppError("model.unreadable", { file: fileName, model: model.id }, { cause });
    });
    if (
      bytes.length !== file.sizeBytes ||
      createHash("sha256").update(bytes).digest("hex") !== file.sha256
    ) {
      throw new AppError("model.damaged", { file: fileName, model: model.id });
    }
    return bytes;
  };
}

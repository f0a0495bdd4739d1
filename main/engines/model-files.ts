// Reads the files of a model and vouches for their bytes: what is run is what the catalogue describes.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { ModelBundle } from "../contract/speech.ts";

/** Gives a file's bytes after comparing size and sha256. */
export type ReadModelFile = (fileName: string) => Promise<Buffer>;

/** @throws AppError `model_unusable`, on reading, that names model and file where it is missing or is not what it should be */
export function createModelFileReader(model: ModelBundle): ReadModelFile {
  return async (fileName) => {
    const file = model.files.find(({ name }) => name === fileName);
    if (file === undefined) throw new Error(`${model.id} lists no file ${fileName}`);
    const bytes = await readFile(join(model.dir, fileName)).catch((cause: unknown) => {
      throw new AppError("model_unusable", `${fileName} of ${model.id} cannot be read.`, { cause });
    });
    if (
      bytes.length !== file.sizeBytes ||
      createHash("sha256").update(bytes).digest("hex") !== file.sha256
    ) {
      throw new AppError(
        "model_unusable",
        `${fileName} of ${model.id} is damaged: its sha256 is not the listed one.`,
      );
    }
    return bytes;
  };
}

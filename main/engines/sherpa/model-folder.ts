// The files of a model by what they are for. Names differ between repositories: `encoder.int8.onnx`,
// `encoder-epoch-99-avg-1.int8.onnx`, `onnx/encoder.onnx`.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";

type ModelFiles = Pick<InstalledModel, "id" | "dir" | "files">;

/** Path of the first file whose name matches; among several, one with 8 bits, which is smaller and faster. */
export function findFile({ dir, files }: ModelFiles, pattern: RegExp): string | undefined {
  const names = files.map(({ name }) => name).filter((name) => pattern.test(name));
  const name = names.find((each) => /int8|quantized/.test(each)) ?? names[0];
  return name === undefined ? undefined : join(dir, name);
}

/** @throws AppError `model.incomplete` */
export function requireFile(model: ModelFiles, pattern: RegExp, what: string): string {
  const path = findFile(model, pattern);
  if (path === undefined) throw new AppError("model.incomplete", { model: model.id, file: what });
  return path;
}

/**
 * Compares every file with its checksum: the library ends the process if it cannot use a file.
 * @throws AppError `model.unreadable`, `model.damaged`
 */
export async function verifyFiles({ id, dir, files }: ModelFiles): Promise<void> {
  for (const { name, sha256 } of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(dir, name), { highWaterMark: 2 ** 20 }), hash).catch(
      (cause: unknown) => {
        throw new AppError("model.unreadable", { file: name, model: id }, { cause });
      },
    );
    if (hash.digest("hex") !== sha256)
      throw new AppError("model.damaged", { file: name, model: id });
  }
}

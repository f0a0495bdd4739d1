// The files of a model by what they are for. Names differ between repositories: `encoder.int8.onnx`,
// `encoder-epoch-99-avg-1.int8.onnx`, `onnx/encoder.onnx`.

import { join } from "node:path";
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

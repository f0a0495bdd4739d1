// Files of a model, verified against its list before they are used. Graphs are opened by their paths: onnxruntime then
// reads the weights itself, and maps those in external data, so that a process never holds them twice.

import { readFile } from "node:fs/promises";
import { InferenceSession } from "onnxruntime-node";
import { isExternalDataOf } from "../contract/external-data.ts";
import type { InstalledModel, ModelFile } from "../contract/models.ts";
import { sessionOptions } from "./session-options.ts";
import { verifyFile } from "./verify-file.ts";

export type ModelFiles = {
  /** Of all files, with slashes. */
  readonly names: readonly string[];
  read(fileName: string): Promise<Buffer>;
  /** Where the verified file is. */
  path(fileName: string): Promise<string>;
  /** @param options that differ from those of most models */
  openGraph(fileName: string, options?: InferenceSession.SessionOptions): Promise<InferenceSession>;
};

/**
 * @param threads for each graph
 * @throws AppError `model_unusable` when a file is used that is missing or differs from the model's list; it names
 * model and file
 */
export function createModelFiles(model: InstalledModel, threads = 1): ModelFiles {
  function findFile(fileName: string): ModelFile {
    const file = model.files.find(({ name }) => name === fileName);
    if (file === undefined) throw new Error(`${model.id} lists no file ${fileName}`);
    return file;
  }

  return {
    names: model.files.map(({ name }) => name),
    read: async (fileName) => readFile(await verifyFile(model, findFile(fileName))),
    path: (fileName) => verifyFile(model, findFile(fileName)),
    async openGraph(fileName, options) {
      for (const file of model.files)
        if (isExternalDataOf(file.name, fileName)) await verifyFile(model, file);
      return InferenceSession.create(await verifyFile(model, findFile(fileName)), {
        ...sessionOptions(threads, model.provider),
        ...options,
      });
    },
  };
}

// Files of a model, verified against its list before they are used. Graphs are opened by their paths: onnxruntime then
// reads the weights itself, and maps those in external data, so that a process never holds them twice.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { InferenceSession } from "onnxruntime-node";
import { AppError } from "../contract/errors.ts";
import { isExternalDataOf } from "../contract/external-data.ts";
import type { InstalledModel, ModelFile } from "../contract/models.ts";
import { sessionOptions } from "./session-options.ts";

export type ModelFiles = {
  /** Of all files, with slashes. */
  readonly names: readonly string[];
  read(fileName: string): Promise<Buffer>;
  openGraph(fileName: string): Promise<InferenceSession>;
};

/** Path → what a file was like when its checksum was right. */
const verifiedFiles = new Map<string, string>();

/**
 * @param threads for each graph
 * @throws AppError `model_unusable` when a file is used that is missing or differs from the model's list; it names
 * model and file
 */
export function createModelFiles(model: InstalledModel, threads = 1): ModelFiles {
  const unreadable = (file: ModelFile, cause: unknown): AppError =>
    new AppError("model.unreadable", { file: file.name, model: model.id }, { cause });

  function findFile(fileName: string): ModelFile {
    const file = model.files.find(({ name }) => name === fileName);
    if (file === undefined) throw new Error(`${model.id} lists no file ${fileName}`);
    return file;
  }

  /** Returns the path of the file, which was hashed once in this process and has not changed since. */
  async function verify(file: ModelFile): Promise<string> {
    const path = join(model.dir, file.name);
    const { size, ino, mtimeMs, ctimeMs } = await stat(path).catch((cause: unknown) => {
      throw unreadable(file, cause);
    });
    const state = [file.sha256, size, ino, mtimeMs, ctimeMs].join();
    if (verifiedFiles.get(path) === state) return path;
    // Its checksum was verified when it was installed, and it has not been written since.
    const isUnchanged = Math.max(mtimeMs, ctimeMs) < model.installedAt * 1000;
    const isRight =
      size === file.sizeBytes &&
      (isUnchanged ||
        (await hashFile(path).catch((cause: unknown) => {
          throw unreadable(file, cause);
        })) === file.sha256);
    if (!isRight) throw new AppError("model.damaged", { file: file.name, model: model.id });
    verifiedFiles.set(path, state);
    return path;
  }

  return {
    names: model.files.map(({ name }) => name),
    read: async (fileName) => readFile(await verify(findFile(fileName))),
    async openGraph(fileName) {
      for (const file of model.files) if (isExternalDataOf(file.name, fileName)) await verify(file);
      return InferenceSession.create(
        await verify(findFile(fileName)),
        sessionOptions(threads, model.provider),
      );
    },
  };
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

// Compares a file of a model with the model's list before it is used.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { InstalledModel, ModelFile } from "../contract/models.ts";
import { hashFile } from "../storage/file-hash.ts";

/** Path → what a file was like when its checksum was right. */
const verifiedFiles = new Map<string, string>();

/**
 * Hashes a file once in this process, unless it was written since.
 * @returns its path
 * @throws AppError `model_unusable` if it is missing or differs from the model's list; it names model and file
 */
export async function verifyFile(
  model: Pick<InstalledModel, "id" | "dir" | "installedAt">,
  file: ModelFile,
): Promise<string> {
  const path = join(model.dir, file.name);
  const throwUnreadable = (cause: unknown): never => {
    throw new AppError("model.unreadable", { file: file.name, model: model.id }, { cause });
  };
  const { size, ino, mtimeMs, ctimeMs } = await stat(path).catch(throwUnreadable);
  const state = [file.sha256, size, ino, mtimeMs, ctimeMs].join();
  if (verifiedFiles.get(path) === state) return path;
  // Its checksum was verified when it was installed, and it has not been written since.
  const isUnchanged = Math.max(mtimeMs, ctimeMs) < model.installedAt * 1000;
  const isRight =
    size === file.sizeBytes &&
    (isUnchanged || (await hashFile(path).catch(throwUnreadable)) === file.sha256);
  if (!isRight) throw new AppError("model.damaged", { file: file.name, model: model.id });
  verifiedFiles.set(path, state);
  return path;
}

// The models on this machine: those that come with the app, and those in `models/` of the data folder, one folder each
// with the model's files and a manifest. Changes are seen at once by everyone who lists them.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { CatalogEntry, InstalledModel, ModelMeasurement } from "../contract/models.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { Log } from "../log.ts";
import { mkdir, rename, writeFile } from "../storage/disk.ts";
import { createMeasurements } from "./measurements.ts";
import { createManifest, manifestName, type Manifest, parseManifest } from "./manifest.ts";
import { findWrongFile, withFilesChecked } from "./model-check.ts";
import { shippedModels } from "./shipped-models.ts";

export type ModelStore = {
  /** Damaged ones included. Returns the same array until something changes. */
  list(): readonly InstalledModel[];
  find(id: string): InstalledModel | undefined;
  /** Folder for models that are being fetched, on the same disk as the installed ones. */
  readonly incomingDir: string;
  /**
   * Puts a folder with all files of a model in place, by one rename. Replaces a model of the same id.
   * @param folder in `incomingDir`; belongs to the store from now on
   * @throws AppError if a file is missing, or a model that comes with the app has the id
   */
  install(entry: CatalogEntry, folder: string, origin: Manifest["origin"]): Promise<InstalledModel>;
  /** @throws AppError if there is no such model, or it comes with the app */
  remove(id: string): Promise<void>;
  /** Sets a model aside until it is installed again or the app is started again, which may find it repaired. */
  setDamaged(id: string, reason: SentMessage): void;
  recordMeasurement(id: string, measured: ModelMeasurement): void;
  /** @returns function that unsubscribes */
  onChange(listener: () => void): () => void;
};

export type ModelStoreOptions = { dataDir: string; log: Log; weightsDir?: string };

export function createModelStore({ dataDir, log, weightsDir }: ModelStoreOptions): ModelStore {
  const modelsDir = join(dataDir, "models");
  const incomingDir = join(modelsDir, ".incoming");
  const measurements = createMeasurements(modelsDir, log);
  let models: readonly InstalledModel[] = [
    ...shippedModels(weightsDir),
    ...findModels(modelsDir, log),
  ].map((model) => withMeasurement(model));
  const listeners = new Set<() => void>();

  function withMeasurement(model: InstalledModel): InstalledModel {
    const measured = measurements.of(model.id);
    return measured === undefined ? model : { ...model, measured };
  }

  function setModels(changed: readonly InstalledModel[]): void {
    models = changed;
    for (const listener of listeners) listener();
  }

  const replaceModel = (id: string, change: (model: InstalledModel) => InstalledModel): void =>
    setModels(models.map((model) => (model.id === id ? change(model) : model)));

  const find = (id: string): InstalledModel | undefined => models.find((model) => model.id === id);
  const pathOf = (id: string): string => join(modelsDir, id);

  /** Moves a model's folder aside, so that it is gone at once, and deletes it. */
  async function deleteFolder(id: string): Promise<void> {
    const leaving = join(incomingDir, `removed-${randomUUID()}`);
    await mkdir(incomingDir, { recursive: true, mode: 0o700 });
    try {
      await rename(pathOf(id), leaving);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    // Retries, because a file that an engine holds open cannot be deleted on Windows.
    await rm(leaving, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      log.warn({ err: error, model: id }, "a removed model is deleted later"),
    );
  }

  function removableModel(id: string): InstalledModel {
    const model = find(id);
    if (model === undefined) throw new AppError("model.notInstalled", { model: id });
    if (model.origin === "shipped") throw new AppError("model.shipped", { model: id });
    return model;
  }

  return {
    list: () => models,
    find,
    incomingDir,
    async install(entry, folder, origin) {
      const manifest = createManifest(entry, {
        origin,
        installedAt: Math.floor(Date.now() / 1000),
      });
      const { id } = manifest;
      if (find(id)?.origin === "shipped") throw new AppError("model.shipped", { model: id });
      const wrongFile = findWrongFile(folder, entry.files);
      if (wrongFile !== undefined)
        throw new AppError("model.incomplete", { file: wrongFile.name, model: id });
      const text = JSON.stringify(manifest, undefined, 2);
      await writeFile(join(folder, manifestName), text, { flush: true });
      await deleteFolder(id);
      await rename(folder, pathOf(id));
      const model = withMeasurement({ ...manifest, dir: pathOf(id) });
      setModels([...models.filter((other) => other.id !== id), model]);
      return model;
    },
    async remove(id) {
      const removed = removableModel(id);
      setModels(models.filter((model) => model !== removed));
      try {
        await deleteFolder(id);
      } catch (error) {
        setModels([...models, removed]);
        throw error;
      }
    },
    setDamaged(id, reason) {
      const model = find(id);
      // Transcription works with no other voice activity model.
      if (model === undefined || model.kind === "voice-activity" || model.damaged !== undefined)
        return;
      log.warn({ model: id, reason: reason.message }, "a damaged model is set aside");
      replaceModel(id, (damaged) => ({ ...damaged, damaged: reason }));
    },
    recordMeasurement(id, measurement) {
      measurements.record(id, measurement);
      replaceModel(id, withMeasurement);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The models in a folder. One whose manifest cannot be read is logged and left out. */
function findModels(modelsDir: string, log: Log): InstalledModel[] {
  const shippedIds = new Set(shippedModels().map(({ id }) => id));
  return namesIn(modelsDir).flatMap((name) => {
    const dir = join(modelsDir, name);
    try {
      const manifest = parseManifest(readFileSync(join(dir, manifestName), "utf8"));
      if (manifest.id !== name || shippedIds.has(name))
        throw new Error(`the folder ${name} has the model ${manifest.id}`);
      return [withFilesChecked({ ...manifest, dir })];
    } catch (error) {
      log.warn({ err: error, model: name }, "a folder with no readable model is left out");
      return [];
    }
  });
}

/** Folders that may be models: those with a dot belong to downloads. */
function namesIn(modelsDir: string): string[] {
  try {
    return readdirSync(modelsDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

// The models on this machine: those that come with the app, and those in `models/` of the data folder, one folder each
// with the model's files and a manifest. Changes are seen at once by everyone who lists them.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { ModelMeasurement } from "../contract/measurements.ts";
import { type CatalogEntry, type InstalledModel, preparedFolderName } from "../contract/models.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { Log } from "../log.ts";
import { writeFile } from "../storage/disk.ts";
import { removePartials } from "../storage/partial-path.ts";
import { createWorkLimit } from "./download/work-limit.ts";
import { createMeasurements } from "./measurements.ts";
import { createManifest, manifestName, type Manifest, parseManifest } from "./manifest.ts";
import { findWrongFile, withFilesChecked } from "./model-check.ts";
import { createModelFolders } from "./model-folders.ts";
import { withVoices } from "./speaker-voices.ts";
import { shippedModels } from "./shipped-models.ts";

export type ModelStore = {
  /** Damaged ones included. Returns the same array until something changes. */
  list(): readonly InstalledModel[];
  find(id: string): InstalledModel | undefined;
  /** Folder for models that are being fetched, on the same disk as the installed ones. */
  readonly incomingDir: string;
  /**
   * Puts a folder with all files of a model in place, by one rename. Replaces a model of the same id, which stays if
   * that fails.
   * @param folder in `incomingDir`; belongs to the store from now on
   * @throws AppError if a file is missing, or a model that comes with the app has the id
   */
  install(entry: CatalogEntry, folder: string, origin: Manifest["origin"]): Promise<InstalledModel>;
  /** @throws AppError if there is no such model, or it comes with the app */
  remove(id: string): Promise<void>;
  /** Cleans up after a process that was killed. To be called once, before anything else is changed or used. */
  recover(): Promise<void>;
  /** Sets a model aside until it is installed again or the app is started again, which may find it repaired. */
  setDamaged(id: string, reason: SentMessage): void;
  recordMeasurement(id: string, measured: ModelMeasurement): void;
  /** @returns function that unsubscribes */
  onChange(listener: () => void): () => void;
};

export type ModelStoreOptions = {
  dataDir: string;
  log: Log;
  weightsDir?: string;
  /** Before a folder that another program holds is renamed again; it grows. */
  retryDelayMs?: number;
};

const defaultRetryDelayMs = 100;

export function createModelStore({
  dataDir,
  log,
  weightsDir,
  retryDelayMs = defaultRetryDelayMs,
}: ModelStoreOptions): ModelStore {
  const modelsDir = join(dataDir, "models");
  const incomingDir = join(modelsDir, ".incoming");
  const folders = createModelFolders(modelsDir, { incomingDir, log, retryDelayMs });
  const measurements = createMeasurements(modelsDir, log);
  const measure = (model: InstalledModel): InstalledModel =>
    withMeasurement(model, measurements.of(model.id));
  const shipped = shippedModels(weightsDir);
  const shippedIds = new Set(shipped.map(({ id }) => id));
  const read = (id: string): InstalledModel[] => readModel(folders.pathOf(id), shippedIds, log);
  let models: readonly InstalledModel[] = [...shipped, ...namesIn(modelsDir).flatMap(read)].map(
    measure,
  );
  const listVoices = <Model extends CatalogEntry>(model: Model, dir: string): Promise<Model> =>
    withVoices(model, dir).catch((error: unknown) => {
      log.warn({ err: error, model: model.id }, "the voices of a model cannot be read");
      return model;
    });
  const listeners = new Set<() => void>();
  const inTurn = createWorkLimit(1);

  function setModels(changed: readonly InstalledModel[]): void {
    models = changed;
    for (const listener of listeners) listener();
  }

  const replaceModel = (id: string, change: (model: InstalledModel) => InstalledModel): void =>
    setModels(models.map((model) => (model.id === id ? change(model) : model)));

  const find = (id: string): InstalledModel | undefined => models.find((model) => model.id === id);

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
    install: (entry, folder, origin) =>
      inTurn(async () => {
        const installedAt = Math.floor(Date.now() / 1000);
        const { id } = createManifest(entry, { origin, installedAt });
        if (find(id)?.origin === "shipped") throw new AppError("model.shipped", { model: id });
        const wrongFile = findWrongFile(folder, entry.files);
        if (wrongFile !== undefined)
          throw new AppError("model.incomplete", { file: wrongFile.name, model: id });
        const manifest = createManifest(await listVoices(entry, folder), { origin, installedAt });
        const text = JSON.stringify(manifest, undefined, 2);
        await writeFile(join(folder, manifestName), text, { flush: true });
        const deleteFormer = await folders.put(id, folder);
        const model = measure({ ...manifest, dir: folders.pathOf(id) });
        setModels([...models.filter((other) => other.id !== id), model]);
        await deleteFormer();
        return model;
      }),
    remove: (id) =>
      inTurn(async () => {
        const removed = removableModel(id);
        setModels(models.filter((model) => model !== removed));
        try {
          await folders.remove(id);
        } catch (error) {
          setModels([...models, removed]);
          throw error;
        }
      }),
    recover: () =>
      inTurn(async () => {
        const recovered = (await folders.recover()).flatMap(read);
        if (recovered.length > 0) setModels([...models, ...recovered.map(measure)]);
        // Manifests of earlier versions have none for most families.
        const others = models.filter(
          ({ damaged, origin }) => damaged === undefined && origin !== "shipped",
        );
        for (const model of others) {
          const { voices } = await listVoices(model, model.dir);
          if (voices !== undefined && voices !== model.voices)
            replaceModel(model.id, (now) => ({ ...now, voices }));
        }
        for (const { origin, dir } of models)
          if (origin !== "shipped") await removePartials(join(dir, preparedFolderName));
      }),
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
      replaceModel(id, (model) => withMeasurement(model, measurement));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const withMeasurement = (
  model: InstalledModel,
  measured: ModelMeasurement | undefined,
): InstalledModel =>
  measured === undefined ? model : { ...model, measured, provider: measured.provider ?? "cpu" };

/** None if the manifest cannot be read, which is logged. */
function readModel(dir: string, shippedIds: ReadonlySet<string>, log: Log): InstalledModel[] {
  const name = basename(dir);
  try {
    const manifest = parseManifest(readFileSync(join(dir, manifestName), "utf8"));
    if (manifest.id !== name || shippedIds.has(name))
      throw new Error(`the folder ${name} has the model ${manifest.id}`);
    return [withFilesChecked({ ...manifest, dir })];
  } catch (error) {
    log.warn({ err: error, model: name }, "a folder with no readable model is left out");
    return [];
  }
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

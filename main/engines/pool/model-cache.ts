// Models a child holds in memory: loaded on first use, unloaded after some idle time, never while in use. Measures how
// much memory each one added to the process.

import { sep } from "node:path";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { providerOf } from "../model-runtime.ts";

/** For models unused while others are in use; a child without any work is ended sooner. */
export const modelIdleMs = 5 * 60_000;

type Closable = { close(): Promise<void> };

/** The model stays loaded until the lease is released. */
export type Lease<Model> = { readonly model: Model; release(): void };

export type ModelCache<Model extends Closable> = {
  acquire(installed: InstalledModel): Promise<Lease<Model>>;
  /** Calls `use` with the loaded model and returns its result. */
  lease<Result>(installed: InstalledModel, use: (model: Model) => Promise<Result>): Promise<Result>;
  /** Id of each loaded model, and by how many bytes the process grew while loading it. */
  loadedModels(): [id: string, bytes: number][];
};

export type ModelCacheOptions = {
  /** An unused model is unloaded after this time. */
  idleMs: number;
  /** Memory of the process, in bytes. */
  heldBytes?: () => number;
  /** Called after a model was loaded or unloaded. */
  onChange?: () => void;
};

/** With another execution provider, a model is loaded anew. */
const keyOf = (installed: InstalledModel): string => `${installed.id} ${providerOf(installed)}`;

/** ONNX Runtime begins with a place in its code, and the condition that was not met. */
const withoutCodeLocation = (reason: string): string =>
  reason
    .replace(/^.*?\.(?:cc|h):\d+ .* was false\. /s, "")
    .replace(/^\S+\.(?:cc|h):\d+ \S+ /, "")
    .trim();

export function createModelCache<Model extends Closable>(
  load: (installed: InstalledModel) => Promise<Model>,
  { idleMs, heldBytes = process.memoryUsage.rss, onChange = () => {} }: ModelCacheOptions,
): ModelCache<Model> {
  type Entry = {
    id: string;
    model: Promise<Model>;
    bytes: number | undefined;
    leaseCount: number;
    timer: NodeJS.Timeout | undefined;
  };
  const entries = new Map<string, Entry>();

  /** @throws AppError `model_unusable`, unless another program or the disk is the cause */
  async function loadOrBlame(installed: InstalledModel): Promise<Model> {
    try {
      return await load(installed);
    } catch (error) {
      if (error instanceof AppError || toStorageError(error) !== undefined) throw error;
      const { id, dir } = installed;
      const reason = String(error instanceof Error ? error.message : error);
      const why = withoutCodeLocation(reason).replaceAll(dir + sep, "");
      throw new AppError("model.notLoadable", { model: id, why }, { cause: error });
    }
  }

  function startLoading(installed: InstalledModel): Entry {
    const bytesBeforeLoad = heldBytes();
    const entry: Entry = {
      id: installed.id,
      model: loadOrBlame(installed),
      bytes: undefined,
      leaseCount: 0,
      timer: undefined,
    };
    entries.set(keyOf(installed), entry);
    // The difference can be negative when the model reuses memory that was freed before.
    void entry.model
      .then(() => {
        entry.bytes = Math.max(0, heldBytes() - bytesBeforeLoad);
        return onChange();
      })
      .catch(() => {});
    return entry;
  }

  function endLease(key: string, entry: Entry): void {
    entry.leaseCount -= 1;
    if (entry.leaseCount > 0) return;
    entry.timer = setTimeout(() => {
      entries.delete(key);
      entry.model
        .then((model) => model.close())
        .catch(() => {})
        .then(onChange)
        .catch(() => {});
    }, idleMs);
    entry.timer.unref();
  }

  async function acquire(installed: InstalledModel): Promise<Lease<Model>> {
    const key = keyOf(installed);
    const entry = entries.get(key) ?? startLoading(installed);
    clearTimeout(entry.timer);
    entry.leaseCount += 1;
    try {
      return { model: await entry.model, release: () => endLease(key, entry) };
    } catch (error) {
      entries.delete(key);
      throw error;
    }
  }

  return {
    acquire,
    async lease(installed, use) {
      const { model, release } = await acquire(installed);
      try {
        return await use(model);
      } finally {
        release();
      }
    },
    loadedModels: () =>
      [...entries.values()].flatMap(({ id, bytes }) =>
        bytes === undefined ? [] : [[id, bytes] as [string, number]],
      ),
  };
}

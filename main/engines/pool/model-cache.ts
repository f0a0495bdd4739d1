// The models a child holds in memory: loaded on first use, let go when nobody used them for a while, never while
// in use. How much each added to the process is measured while it is loaded. The loader knows what a model is.

import type { ModelBundle } from "../../contract/speech.ts";

type Closable = { close(): Promise<void> };

/** A model that stays loaded until it is released. */
export type Lease<Model> = { readonly model: Model; release(): void };

export type ModelCache<Model extends Closable> = {
  acquire(bundle: ModelBundle): Promise<Lease<Model>>;
  /** Calls `use` with the loaded model; what it returns is passed on. */
  lease<Result>(bundle: ModelBundle, use: (model: Model) => Promise<Result>): Promise<Result>;
  /** Of each model that is loaded: its id, and the bytes by which the process grew as it was loaded. */
  loadedModels(): [id: string, bytes: number][];
};

export type ModelCacheOptions = {
  /** How long an unused model stays in memory. */
  idleMs: number;
  /** What the process holds, in bytes. */
  heldBytes?: () => number;
  /** A model was let go. */
  onLetGo?: () => void;
};

export function createModelCache<Model extends Closable>(
  load: (bundle: ModelBundle) => Promise<Model>,
  { idleMs, heldBytes = process.memoryUsage.rss, onLetGo = () => {} }: ModelCacheOptions,
): ModelCache<Model> {
  type Entry = {
    model: Promise<Model>;
    bytes: number | undefined;
    leaseCount: number;
    timer: NodeJS.Timeout | undefined;
  };
  const entries = new Map<string, Entry>();

  function startLoading(bundle: ModelBundle): Entry {
    const bytesBeforeLoad = heldBytes();
    const entry: Entry = { model: load(bundle), bytes: undefined, leaseCount: 0, timer: undefined };
    entries.set(bundle.id, entry);
    // Memory that was freed before and is used again makes it less than nothing at times.
    void entry.model
      .then(() => (entry.bytes = Math.max(0, heldBytes() - bytesBeforeLoad)))
      .catch(() => {});
    return entry;
  }

  function endLease(id: string, entry: Entry): void {
    entry.leaseCount -= 1;
    if (entry.leaseCount > 0) return;
    entry.timer = setTimeout(() => {
      entries.delete(id);
      entry.model
        .then((model) => model.close())
        .catch(() => {})
        .then(onLetGo)
        .catch(() => {});
    }, idleMs);
    entry.timer.unref();
  }

  async function acquire(bundle: ModelBundle): Promise<Lease<Model>> {
    const entry = entries.get(bundle.id) ?? startLoading(bundle);
    clearTimeout(entry.timer);
    entry.leaseCount += 1;
    try {
      return { model: await entry.model, release: () => endLease(bundle.id, entry) };
    } catch (error) {
      entries.delete(bundle.id);
      throw error;
    }
  }

  return {
    acquire,
    async lease(bundle, use) {
      const { model, release } = await acquire(bundle);
      try {
        return await use(model);
      } finally {
        release();
      }
    },
    loadedModels: () =>
      [...entries].flatMap(([id, { bytes }]) =>
        bytes === undefined ? [] : [[id, bytes] as [string, number]],
      ),
  };
}

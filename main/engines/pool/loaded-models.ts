// The models a child holds in memory: loaded on first use, let go when nobody used them for a while, never while
// in use. What a model is, is the loader's matter.

import type { ModelBundle } from '../../contract/speech.ts';

type Closable = { close(): Promise<void> };

/** A model that stays loaded until it is released. */
export type Lease<Model> = { readonly model: Model; release(): void };

export type LoadedModels<Model extends Closable> = {
  acquire(bundle: ModelBundle): Promise<Lease<Model>>;
  /** Calls `use` with the loaded model; what it returns is passed on. */
  lease<Result>(bundle: ModelBundle, use: (model: Model) => Promise<Result>): Promise<Result>;
};

/** @param idleMs how long an unused model stays in memory */
export function createLoadedModels<Model extends Closable>(load: (bundle: ModelBundle) => Promise<Model>, idleMs: number): LoadedModels<Model> {
  type Entry = { model: Promise<Model>; users: number; timer: NodeJS.Timeout | undefined };
  const entries = new Map<string, Entry>();

  function leave(id: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.timer = setTimeout(() => {
      entries.delete(id);
      void entry.model.then((model) => model.close());
    }, idleMs);
    entry.timer.unref();
  }

  async function acquire(bundle: ModelBundle): Promise<Lease<Model>> {
    const entry: Entry = entries.get(bundle.id) ?? { model: load(bundle), users: 0, timer: undefined };
    entries.set(bundle.id, entry);
    clearTimeout(entry.timer);
    entry.users += 1;
    try {
      return { model: await entry.model, release: () => leave(bundle.id, entry) };
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
  };
}

// Wires the built-in models: the pool of engine processes, and the local channel that uses it.

import { join } from "node:path";
import { mediaLimits } from "../engines/pool/media-limits.ts";
import { createPool, engineModules, type Pool } from "../engines/pool/pool.ts";
import { reportUnusableModels } from "../engines/pool/unusable-models.ts";
import { voices } from "../engines/tts/hibari/voices.ts";
import { createLocalChannel } from "../inference/local-channel.ts";
import type { ModelStore } from "../models/model-store.ts";
import { shippedModel } from "../models/shipped-models.ts";
import type { EngineLimits } from "./engine-limits.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredModels } from "./models.ts";

export type WiredEngines = ReturnType<typeof wireEngines>;

export function wireEngines(
  { platform, settings, temp, events, log }: Foundation,
  { workers, idleMs, memoryMb }: EngineLimits,
  { store, names }: WiredModels,
) {
  const pool = reportUnusableModels(
    createPool(
      (runtime) => platform.launchChild(engineModules[runtime]),
      {
        size: workers,
        idleMs,
        mediaLimits: mediaLimits(settings),
        supportDir: join(platform.dataDir, "engines"),
        ...(memoryMb === 0 ? {} : { memoryLimitBytes: memoryMb * 1e6 }),
      },
      log.child({ room: "engines" }),
      ({ processes, bytes: heldBytes }) =>
        events.publish({ type: "engines", engines: { processes, heldBytes } }),
    ),
    store.setDamaged,
  );
  unloadRemovedModels(store, pool);
  const vad = shippedModel("silero-vad");
  const local = createLocalChannel({
    pool,
    names,
    models: store.list,
    vad,
    voices,
    tempDir: temp.path,
  });
  return { pool, vad, local };
}

/** Also models that were replaced: their processes would go on with the old weights. */
function unloadRemovedModels(store: ModelStore, pool: Pick<Pool, "unload">): void {
  let known = store.list();
  store.onChange(() => {
    for (const { id, installedAt } of known)
      if (store.find(id)?.installedAt !== installedAt) pool.unload(id);
    known = store.list();
  });
}

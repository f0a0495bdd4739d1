// Wires the built-in models: the pool of engine processes, and the local channel that uses it.

import { join } from "node:path";
import type { SentMessage } from "../contract/messages/messages.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { EngineMemory } from "../contract/speech.ts";
import { installationOf } from "../engines/model-runtime.ts";
import { withCpuFallback } from "../engines/pool/cpu-fallback.ts";
import { mediaLimits } from "../engines/pool/media-limits.ts";
import { createPool, engineModules, type Pool } from "../engines/pool/pool.ts";
import { watchPoolUse } from "../engines/pool/pool-use.ts";
import { reportUnusableModels } from "../engines/pool/unusable-models.ts";
import { voices } from "../engines/tts/hibari/voices.ts";
import { createDiarization } from "../inference/local-diarization.ts";
import { createLocalChannel } from "../inference/local-channel.ts";
import { withoutProvider } from "../inference/provider-choice.ts";
import type { Log } from "../log.ts";
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
  const supportDir = join(platform.dataDir, "engines");
  const engineLog = log.child({ room: "engines" });
  const enginePool = createPool(
    (runtime) => platform.launchChild(engineModules[runtime]),
    {
      size: workers,
      idleMs,
      mediaLimits: mediaLimits(settings),
      supportDir,
      ...(memoryMb === 0 ? {} : { memoryLimitBytes: memoryMb * 1e6 }),
    },
    engineLog,
    ({ processes, bytes: heldBytes, models }) => {
      recordMemory(store, models);
      events.publish({ type: "engines", engines: { processes, heldBytes } });
    },
  );
  const pool = watchPoolUse(
    reportUnusableModels(
      withCpuFallback(enginePool, (model, reason) => {
        if (isInstalled(store, model)) dropProvider(store, model, reason, engineLog);
      }),
      (model, reason) => {
        if (isInstalled(store, model)) store.setDamaged(model.id, reason);
      },
    ),
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
  const diarization = createDiarization({
    pool,
    vad,
    diarizer: () => store.find("pyannote-community-1"),
    tempDir: temp.path,
  });
  return { pool, supportDir, vad, local, diarization };
}

/** Also models that were replaced: their processes would go on with the old weights. */
function unloadRemovedModels(store: ModelStore, pool: Pick<Pool, "unload">): void {
  let known = store.list();
  store.onChange(() => {
    for (const model of known) if (!isInstalled(store, model)) pool.unload(model.id);
    known = store.list();
  });
}

/** Whether it was neither removed nor replaced. */
function isInstalled(store: ModelStore, model: InstalledModel): boolean {
  const now = store.find(model.id);
  return now !== undefined && installationOf(now) === installationOf(model);
}

function dropProvider(
  store: ModelStore,
  { id }: InstalledModel,
  reason: SentMessage,
  log: Log,
): void {
  const measured = store.find(id)?.measured;
  if (measured?.provider === undefined) return;
  log.warn({ model: id, provider: measured.provider, reason: reason.message }, "a provider failed");
  store.recordMeasurement(id, withoutProvider(measured, reason));
}

/** What models took, so that the next start knows before it loads them. */
function recordMemory(store: ModelStore, models: EngineMemory["models"]): void {
  for (const [id, { bytes }] of models) {
    const model = store.find(id);
    if (model !== undefined && bytes > (model.measured?.memoryBytes ?? 0))
      store.recordMeasurement(id, { measuredAt: 0, ...model.measured, memoryBytes: bytes });
  }
}

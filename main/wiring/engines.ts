// Wires the built-in models: the pool of engine processes, and the local channel that uses it.

import { availableParallelism } from "node:os";
import { mediaLimits } from "../engines/pool/media-limits.ts";
import { createPool, engineModule } from "../engines/pool/pool.ts";
import { voices } from "../engines/tts/hibari/voices.ts";
import { createLocalChannel } from "../inference/local-channel.ts";
import type { PreferenceStore } from "../library/preferences.ts";
import { listInstalledModels } from "../models/installed-models.ts";
import { modelBundle } from "../models/store.ts";
import { maxWorkers, type Settings } from "../storage/settings/settings.ts";
import type { Foundation } from "./foundation.ts";

export type EngineLimits = { workers: number; idleMs: number; memoryMb: number };
export type WiredEngines = ReturnType<typeof wireEngines>;

/** Settings of this start take precedence over preferences, which apply from the next start on. */
export function readEngineLimits(preferences: PreferenceStore, settings: Settings): EngineLimits {
  const {
    workers = Math.min(availableParallelism(), maxWorkers),
    idleSec = 300,
    memoryMb = 0,
  } = { ...preferences.read(), ...settings };
  return { workers, idleMs: idleSec * 1000, memoryMb };
}

export function wireEngines(
  { platform, settings, temp, events, log }: Foundation,
  { workers, idleMs, memoryMb }: EngineLimits,
) {
  const pool = createPool(
    () => platform.launchChild(engineModule),
    {
      size: workers,
      idleMs,
      mediaLimits: mediaLimits(settings),
      ...(memoryMb === 0 ? {} : { memoryLimitBytes: memoryMb * 1e6 }),
    },
    log.child({ room: "engines" }),
    ({ processes, bytes: heldBytes }) =>
      events.publish({ type: "engines", engines: { processes, heldBytes } }),
  );
  const models = listInstalledModels();
  const vad = modelBundle("silero-vad");
  const local = createLocalChannel({ pool, models, vad, voices, tempDir: temp.path });
  return { pool, models, vad, local };
}

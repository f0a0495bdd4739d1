// Wires the built-in models: the pool of engine processes, and the local channel that uses it.

import { mediaLimits } from "../engines/pool/media-limits.ts";
import { createPool, engineModule } from "../engines/pool/pool.ts";
import { reportUnusableModels } from "../engines/pool/unusable-models.ts";
import { voices } from "../engines/tts/hibari/voices.ts";
import { createLocalChannel } from "../inference/local-channel.ts";
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
    ),
    store.setDamaged,
  );
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

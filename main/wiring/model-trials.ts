// Wires the trials of models that were installed on this machine.

import { extname, join } from "node:path";
import { z } from "zod";
import type { MeasuringClip } from "../contract/measurements.ts";
import { createPool, engineModules } from "../engines/pool/pool.ts";
import { voices } from "../engines/tts/hibari/voices.ts";
import type { TrialClip } from "../inference/model-trial.ts";
import { createModelTrials, type ModelTrials } from "../inference/model-trials.ts";
import { measuringClips, readMeasuringClip } from "../models/measuring-clips.ts";
import { runChildTask } from "../processes/run-task.ts";
import type { EngineLimits } from "./engine-limits.ts";
import type { WiredEngines } from "./engines.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredModels } from "./models.ts";

/** Same extension as this file: source (.ts) or build (.js). */
const providersModule = join(
  import.meta.dirname,
  "..",
  "engines",
  `providers-child${extname(import.meta.filename)}`,
);
const providersLimitMs = 20_000;
/** The process of a trial is ended with the trial. */
const idleMs = 60_000;

export function wireModelTrials(
  { platform, temp, log }: Foundation,
  { workers }: EngineLimits,
  { store }: WiredModels,
  { pool: mainPool, supportDir, vad }: WiredEngines,
): ModelTrials {
  const engineLog = log.child({ room: "engines" });
  return createModelTrials({
    store,
    readClip,
    mainPool,
    createPool: (taskTimeoutMs) =>
      createPool(
        (runtime) => platform.launchChild(engineModules[runtime]),
        {
          size: 1,
          // As in use: one process holds a large model.
          largeModelThreads: workers,
          idleMs,
          taskTimeoutMs,
          supportDir,
        },
        engineLog,
      ),
    vad,
    voices,
    tempDir: temp.path,
    async listProviders(signal) {
      try {
        return z
          .array(z.string())
          .parse(
            await runChildTask(
              (options) => platform.launchChild(providersModule, options),
              undefined,
              { signal, timeLimitMs: providersLimitMs },
            ),
          );
      } catch (error) {
        signal.throwIfAborted();
        engineLog.warn({ err: error }, "execution providers cannot be listed");
        return [];
      }
    },
    log: engineLog,
  });
}

async function readClip(languages: readonly string[]): Promise<TrialClip> {
  const clip =
    measuringClips.find(({ language }) => languages.includes(language)) ??
    (measuringClips[0] as MeasuringClip);
  return { ...clip, bytes: await readMeasuringClip(clip.id) };
}

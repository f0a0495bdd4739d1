// Tries each model that was installed, one after the other, and any model on request. Stores what was measured; sets
// aside a model that does not work. A trial waits while the app uses models, and begins anew if the app does so
// meanwhile: both would be slow, and a large model in memory twice.

import { AppError } from "../contract/errors.ts";
import type { ModelMeasurement } from "../contract/measurements.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import { type InstalledModel, isAuxiliary } from "../contract/models.ts";
import { installationOf, isLargeModel } from "../engines/model-runtime.ts";
import type { Pool } from "../engines/pool/pool.ts";
import type { PoolUse } from "../engines/pool/pool-use.ts";
import type { Log } from "../log.ts";
import { type ModelTrialDeps, type TrialClip, tryModel } from "./model-trial.ts";
import { createTurns } from "../processes/run-in-turns.ts";

export type ModelTrials = {
  /** Tries models that were installed and not tried since, now and whenever models change. */
  start(): void;
  /** @throws AppError if there is no such model, it does not work, or others are in use all the time */
  run(modelId: string, signal: AbortSignal): Promise<ModelMeasurement>;
  close(): Promise<void>;
};

type UndisturbedDeps = ModelTrialDeps & {
  /** The one that serves requests. */
  mainPool: PoolUse & Pick<Pool, "unload">;
  /** How long a trial waits for the main pool. Those after an installation then wait anew. */
  maxWaitMs?: number;
};

export type ModelTrialsDeps = UndisturbedDeps & {
  store: {
    list(): readonly InstalledModel[];
    find(id: string): InstalledModel | undefined;
    setDamaged(id: string, reason: SentMessage): void;
    recordMeasurement(id: string, measured: ModelMeasurement): void;
    onChange(listener: () => void): () => void;
  };
  /** A clip in one of the languages, or any clip. */
  readClip(languages: readonly string[]): Promise<TrialClip>;
  log: Log;
};

const defaultMaxWaitMs = 300_000;

export function createModelTrials({ store, readClip, log, ...deps }: ModelTrialsDeps): ModelTrials {
  const closing = new AbortController();
  /** Trials at the same time would slow each other down. */
  const inTurn = createTurns();
  const tried = new Set<string>();
  let unsubscribe: (() => void) | undefined;

  /** Not removed, and not replaced either. */
  function isHere(model: InstalledModel): boolean {
    const now = store.find(model.id);
    return now !== undefined && installationOf(now) === installationOf(model);
  }

  async function measure(model: InstalledModel, signal: AbortSignal): Promise<ModelMeasurement> {
    if (!isHere(model)) throw new AppError("model.removed", { model: model.id });
    const leaving = new AbortController();
    const unwatch = store.onChange(() => {
      if (!isHere(model)) leaving.abort();
    });
    try {
      const clip = await readClip(model.languages.map(({ code }) => code));
      const result = await tryUndisturbed(
        model,
        clip,
        deps,
        AbortSignal.any([signal, leaving.signal]),
      );
      leaving.signal.throwIfAborted();
      const measured = { ...result, measuredAt: Math.floor(Date.now() / 1000) };
      store.recordMeasurement(model.id, measured);
      return measured;
    } catch (error) {
      if (leaving.signal.aborted)
        throw new AppError("model.removed", { model: model.id }, { cause: error });
      if (error instanceof AppError && isAbout(model, error))
        store.setDamaged(model.id, error.sent);
      throw error;
    } finally {
      unwatch();
    }
  }

  const enqueue = (model: InstalledModel, signal: AbortSignal): Promise<ModelMeasurement> =>
    inTurn(() => measure(model, AbortSignal.any([signal, closing.signal])));

  function tryNewModels(): void {
    for (const model of store.list().filter(isUntried)) {
      const installation = installationOf(model);
      if (tried.has(installation)) continue;
      tried.add(installation);
      enqueue(model, closing.signal).catch((error: unknown) => {
        if (closing.signal.aborted) return;
        if (error instanceof AppError && error.sent.id === "model.trialBusy") {
          tried.delete(installation);
          tryNewModels();
        } else log.warn({ err: error, model: model.id }, "a model could not be tried");
      });
    }
  }

  return {
    start() {
      unsubscribe = store.onChange(tryNewModels);
      tryNewModels();
    },
    async run(modelId, signal) {
      const model = store.find(modelId);
      if (model === undefined || isAuxiliary(model.kind))
        throw new AppError("model.notInstalled", { model: modelId });
      return enqueue(model, signal);
    },
    async close() {
      unsubscribe?.();
      closing.abort();
      await inTurn(() => Promise.resolve());
    },
  };
}

/** Waits for the main pool, and begins anew if that is used meanwhile. @throws AppError if it is used all the time */
async function tryUndisturbed(
  model: InstalledModel,
  clip: TrialClip,
  deps: UndisturbedDeps,
  signal: AbortSignal,
): ReturnType<typeof tryModel> {
  const { mainPool, maxWaitMs = defaultMaxWaitMs } = deps;
  const patience = AbortSignal.timeout(maxWaitMs);
  for (;;) {
    try {
      await mainPool.untilQuiet(AbortSignal.any([signal, patience]));
    } catch (error) {
      signal.throwIfAborted();
      throw new AppError("model.trialBusy", { model: model.id }, { cause: error });
    }
    if (isLargeModel(model)) mainPool.unload(model.id);
    const disturbed = new AbortController();
    const unwatch = mainPool.onUse(() => disturbed.abort());
    try {
      return await tryModel(model, clip, deps, AbortSignal.any([signal, disturbed.signal]));
    } catch (error) {
      if (signal.aborted || !disturbed.signal.aborted) throw error;
    } finally {
      unwatch();
    }
  }
}

/** Another model takes part in a trial: the one that finds the voice. */
const isAbout = ({ id }: InstalledModel, { key, sent }: AppError): boolean =>
  key === "model_unusable" && sent.params?.["model"] === id;

/** Models that come with the app are known to work. */
const isUntried = ({ origin, kind, damaged, measured, installedAt }: InstalledModel): boolean =>
  origin !== "shipped" &&
  !isAuxiliary(kind) &&
  damaged === undefined &&
  (measured === undefined || measured.measuredAt < installedAt);

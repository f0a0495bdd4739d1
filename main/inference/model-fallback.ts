// Serves a request with another model if one turned out to be damaged.

import { isBuiltInName } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { InstalledModel } from "../contract/models.ts";
import type { ModelNames } from "../models/defaults.ts";

export type ModelFallbackDeps = {
  names: ModelNames;
  /** Models on this machine, those that are set aside included. */
  models(): readonly InstalledModel[];
  vad: InstalledModel;
};

/**
 * Starts again with another model if one turned out to be unusable, and was set aside, before there was any output.
 * Only names that stand for several models have another one.
 * @param name of the model in the request
 */
export type WithFallback = <Event>(
  name: string,
  hasOutput: (event: Event) => boolean,
  serve: () => AsyncIterable<Event>,
) => AsyncGenerator<Event, void, undefined>;

export function createModelFallback({ names, models, vad }: ModelFallbackDeps): WithFallback {
  return async function* withFallback(name, hasOutput, serve) {
    for (let isStarted = false; ;) {
      try {
        for await (const event of serve()) {
          isStarted ||= hasOutput(event);
          yield event;
        }
        return;
      } catch (error) {
        const model = error instanceof AppError ? unusableModel(error) : undefined;
        if (model === undefined) throw error;
        const found = models().find(({ id }) => id === model);
        if (found === undefined && model !== vad.id)
          throw new AppError("model.removed", { model }, { cause: error });
        const hasAnother = isBuiltInName(name) && names.behind(name).length > 0;
        if (isStarted || found?.damaged === undefined || !hasAnother) throw error;
      }
    }
  };
}

/** Id of the model that the error is about. */
function unusableModel({ key, sent }: AppError): string | undefined {
  const model = sent.params?.["model"];
  return key === "model_unusable" && typeof model === "string" ? model : undefined;
}

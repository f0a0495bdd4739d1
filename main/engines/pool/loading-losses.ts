// Models whose loading ends the process: the second loss shows that the model is the cause, and no further process is
// lost to it.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { installationOf, providerOf } from "../model-runtime.ts";

export type LoadingLosses = {
  /** @param reason why the process ended */
  add(model: InstalledModel, reason: string): void;
  /** Call when the model was loaded. */
  forget(model: InstalledModel): void;
  /** `model_unusable`, if the model has ended too many processes. */
  errorFor(model: InstalledModel): AppError | undefined;
};

const maxLosses = 2;

/** What another provider did to a process says nothing about this one. */
const keyOf = (model: InstalledModel): string => `${installationOf(model)} ${providerOf(model)}`;

export function createLoadingLosses(): LoadingLosses {
  const reasons = new Map<string, string[]>();
  return {
    add(model, reason) {
      const key = keyOf(model);
      reasons.set(key, [...(reasons.get(key) ?? []), reason]);
    },
    forget: (model) => void reasons.delete(keyOf(model)),
    errorFor(model) {
      const lost = reasons.get(keyOf(model)) ?? [];
      if (lost.length < maxLosses) return undefined;
      const why = createMessage("model.endsProcess", { why: lost.at(-1) ?? "" });
      return new AppError("model.notLoadable", { model: model.id, why });
    },
  };
}

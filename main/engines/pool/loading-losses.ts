// Models whose loading ends the process: the second loss shows that the model is the cause, and no further process is
// lost to it.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { ChildLostError } from "./child-lost-error.ts";
import { installationOf, providerOf } from "../model-runtime.ts";

export type LoadingLosses = {
  add(model: InstalledModel, loss: ChildLostError): void;
  /** Call when the model was loaded. */
  forget(model: InstalledModel): void;
  /** `model_unusable`, if the model has ended too many processes. */
  errorFor(model: InstalledModel): AppError | undefined;
};

const maxLosses = 2;

/** What another provider did to a process says nothing about this one. */
const keyOf = (model: InstalledModel): string => `${installationOf(model)} ${providerOf(model)}`;

export function createLoadingLosses(): LoadingLosses {
  const losses = new Map<string, ChildLostError[]>();
  return {
    add(model, loss) {
      const key = keyOf(model);
      losses.set(key, [...(losses.get(key) ?? []), loss]);
    },
    forget: (model) => void losses.delete(keyOf(model)),
    errorFor(model) {
      const lost = losses.get(keyOf(model)) ?? [];
      const last = lost.at(-1);
      if (last === undefined || lost.length < maxLosses) return undefined;
      const why = last.exceededMemory
        ? createMessage("model.exceedsMemory")
        : createMessage("model.endsProcess", { why: last.message });
      return new AppError("model.notLoadable", { model: model.id, why });
    },
  };
}

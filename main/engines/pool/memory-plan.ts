// Whether a model fits into memory before it is loaded. A system that runs out of memory ends whatever program it
// likes, so the answer errs towards refusing.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import { memoryNeedBytes } from "../../contract/model-size.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { isLargeModel } from "../model-runtime.ts";

export type MemoryPlan = {
  /** Whether a model can be loaded now, or once this much more is free. */
  fits(model: InstalledModel, freeableBytes?: number): boolean;
  /** Whether a model can be loaded once this much more is free, and no other one is being loaded. */
  couldFit(model: InstalledModel, freeableBytes: number): boolean;
  /** Whether all processes together exceed the limit once one more small model is loaded. */
  exceedsLimit(model: InstalledModel): boolean;
  /** An error that says how much is missing even then, and what would help. */
  refusal(model: InstalledModel, freeableBytes: number): AppError;
};

export type MemoryPlanOptions = {
  /** Memory that the system can give. */
  availableBytes(): number;
  /** Limit for all processes together; Infinity for none. */
  limitBytes: number;
  /** What all processes hold. */
  heldBytes(): number;
  /** What a model took before, in bytes. */
  takenBytes(modelId: string): number | undefined;
  /** Models that processes are loading. Their memory is not used yet, or not yet reported. */
  loadingModels(): readonly InstalledModel[];
};

const toMegabytes = (bytes: number): number => Math.round(Math.max(0, bytes) / 1e6);

export function createMemoryPlan({
  availableBytes,
  limitBytes,
  heldBytes,
  takenBytes,
  loadingModels,
}: MemoryPlanOptions): MemoryPlan {
  const isLimited = (model: InstalledModel): boolean =>
    // The limit always admits one process with small models.
    limitBytes !== Infinity && isLargeModel(model);

  const freeBytes = (model: InstalledModel): number =>
    isLimited(model) ? Math.min(availableBytes(), limitBytes - heldBytes()) : availableBytes();
  const loadingBytes = (): number =>
    loadingModels().reduce((sum, model) => sum + memoryNeedBytes(model), 0);

  return {
    fits: (model, freeableBytes = 0) =>
      memoryNeedBytes(model) <= freeBytes(model) - loadingBytes() + freeableBytes,
    couldFit: (model, freeableBytes) =>
      memoryNeedBytes(model) <= freeBytes(model) + freeableBytes &&
      (!isLimited(model) || memoryNeedBytes(model) <= limitBytes),
    exceedsLimit: (model) =>
      heldBytes() + (takenBytes(model.id) ?? memoryNeedBytes(model)) > limitBytes,
    refusal: (model, freeableBytes) =>
      new AppError("model.tooLarge", {
        model: model.id,
        needed: toMegabytes(memoryNeedBytes(model)),
        free: toMegabytes(freeBytes(model) + freeableBytes),
        advice: createMessage(isLimited(model) ? "model.adviceLimit" : "model.adviceFree"),
      }),
  };
}

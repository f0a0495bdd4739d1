// Whether a model fits into memory before it is loaded. A system that runs out of memory ends whatever program it
// likes, so the answer errs towards refusing.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import { memoryNeedBytes } from "../../contract/model-size.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { isLargeModel } from "../model-runtime.ts";

export type MemoryPlan = {
  /** How much a process grows with the model: as measured, or as estimated. */
  neededBytes(model: InstalledModel): number;
  /** Bytes that a model may take now. */
  freeBytes(model: InstalledModel): number;
  /** @param freeableBytes what would be free besides */
  fits(model: InstalledModel, freeableBytes?: number): boolean;
  /** Counts the model as loaded until the returned function is called: its memory is not used yet. */
  reserve(model: InstalledModel): () => void;
  /** An error that says how much is missing, and what would help. */
  refusal(model: InstalledModel): AppError;
};

export type MemoryPlanOptions = {
  /** Memory that the system can give. */
  availableBytes(): number;
  /** Limit for all processes together; Infinity for none. */
  limitBytes: number;
  /** What all processes hold. */
  heldBytes(): number;
  /** What the model took when it was last loaded. */
  measuredBytes(id: string): number | undefined;
};

const toMegabytes = (bytes: number): number => Math.round(Math.max(0, bytes) / 1e6);

export function createMemoryPlan({
  availableBytes,
  limitBytes,
  heldBytes,
  measuredBytes,
}: MemoryPlanOptions): MemoryPlan {
  const reservations = new Set<{ readonly bytes: number }>();
  const isLimited = (model: InstalledModel): boolean =>
    // The limit always admits one process with small models.
    limitBytes !== Infinity && isLargeModel(model);

  const neededBytes = (model: InstalledModel): number =>
    measuredBytes(model.id) ?? memoryNeedBytes(model);

  function freeBytes(model: InstalledModel): number {
    const reserved = Array.from(reservations).reduce((sum, { bytes }) => sum + bytes, 0);
    const free = isLimited(model)
      ? Math.min(availableBytes(), limitBytes - heldBytes())
      : availableBytes();
    return free - reserved;
  }

  return {
    neededBytes,
    freeBytes,
    fits: (model, freeableBytes = 0) => neededBytes(model) <= freeBytes(model) + freeableBytes,
    reserve(model) {
      const reservation = { bytes: neededBytes(model) };
      reservations.add(reservation);
      return () => void reservations.delete(reservation);
    },
    refusal: (model) =>
      new AppError("model.tooLarge", {
        model: model.id,
        needed: toMegabytes(neededBytes(model)),
        free: toMegabytes(freeBytes(model)),
        advice: createMessage(isLimited(model) ? "model.adviceLimit" : "model.adviceFree"),
      }),
  };
}

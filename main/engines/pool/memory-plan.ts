// Whether a model fits into memory before it is loaded. A system that runs out of memory ends whatever program it
// likes, so the answer errs towards refusing.

import { AppError, createMessage } from "../../contract/errors.ts";
import type { EngineModel } from "./protocol.ts";
import { isLargeModel, modelFileBytes } from "../model-runtime.ts";

export type MemoryPlan = {
  /** How much a process grows with the model: as measured, or as estimated. */
  neededBytes(model: EngineModel): number;
  /** Bytes that a model may take now. */
  freeBytes(model: EngineModel): number;
  fits(model: EngineModel): boolean;
  /** Counts the model as loaded until the returned function is called: its memory is not used yet. */
  reserve(model: EngineModel): () => void;
  /** An error that says how much is missing, and what would help. */
  refusal(model: EngineModel): AppError;
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

/** Weights are in memory as they are in the file; some are rearranged, and inference needs some more. */
const estimatedGrowth = 1.3;
const estimatedWorkBytes = 100e6;
const toMegabytes = (bytes: number): number => Math.round(Math.max(0, bytes) / 1e6);

export function createMemoryPlan({
  availableBytes,
  limitBytes,
  heldBytes,
  measuredBytes,
}: MemoryPlanOptions): MemoryPlan {
  const reservations = new Set<{ readonly bytes: number }>();
  const isLimited = (model: EngineModel): boolean =>
    // The limit always admits one process with small models.
    limitBytes !== Infinity && isLargeModel(model);

  function neededBytes(model: EngineModel): number {
    const known =
      "family" in model ? (model.measured?.memoryBytes ?? model.memoryBytes) : undefined;
    return (
      measuredBytes(model.id) ?? known ?? modelFileBytes(model) * estimatedGrowth + estimatedWorkBytes
    );
  }

  function freeBytes(model: EngineModel): number {
    const reserved = Array.from(reservations).reduce((sum, { bytes }) => sum + bytes, 0);
    const free = isLimited(model)
      ? Math.min(availableBytes(), limitBytes - heldBytes())
      : availableBytes();
    return free - reserved;
  }

  return {
    neededBytes,
    freeBytes,
    fits: (model) => neededBytes(model) <= freeBytes(model),
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

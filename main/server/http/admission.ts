// Bounds how many requests this machine's engines are asked for at once: what is beyond it is refused at once and may
// come again, where it would otherwise wait for minutes and make all others wait. What the window asks for is not counted.

import { AppError } from "../../contract/errors.ts";

export const defaultMaxRequests = 64;

/** A request's place among those that are worked on or wait. Nothing is held before `acquire`. */
export type RequestSlot = {
  /** Nothing happens where it is held already. @throws AppError `overloaded` */
  acquire(): void;
  /** The client does not read what was made for it: others may have the place meanwhile. */
  pause(): void;
  resume(): void;
  release(): void;
};

export type Admission = { createSlot(): RequestSlot };

const minRetrySec = 1;
const maxRetrySec = 30;
/** How much the latest time between two that left counts. */
const smoothingFactor = 0.1;

/** @param nowMs a clock */
export function createAdmission(
  maxRequests: number,
  nowMs: () => number = () => performance.now(),
): Admission {
  let activeCount = 0;
  let departureIntervalMs: number | undefined;
  /** When the last one left, or so many came that others wait. */
  let intervalStartMs = 0;
  const isBusy = (): boolean => activeCount >= maxRequests / 2;

  function occupySlot(): void {
    const wasBusy = isBusy();
    activeCount += 1;
    if (!wasBusy && isBusy()) intervalStartMs = nowMs();
  }

  function recordDeparture(): void {
    // Only while others wait does the time between two tell how fast they are served.
    if (!isBusy()) return;
    const now = nowMs();
    const passedMs = now - intervalStartMs;
    departureIntervalMs =
      departureIntervalMs === undefined
        ? passedMs
        : departureIntervalMs + smoothingFactor * (passedMs - departureIntervalMs);
    intervalStartMs = now;
  }

  /** Estimated time to finish half of the present requests. */
  const retryAfterSec = (): number =>
    Math.min(maxRetrySec, Math.max(minRetrySec, ((departureIntervalMs ?? 0) * maxRequests) / 2000));

  return {
    createSlot() {
      let state: "outside" | "held" | "paused" | "left" = "outside";
      return {
        acquire() {
          if (state !== "outside") return;
          if (activeCount >= maxRequests)
            throw new AppError(
              "overloaded",
              `This machine is busy: ${maxRequests} requests are being worked on or waiting. Try again later.`,
              { retryAfterSec: retryAfterSec() },
            );
          occupySlot();
          state = "held";
        },
        pause() {
          if (state !== "held") return;
          activeCount -= 1;
          state = "paused";
        },
        resume() {
          if (state !== "paused") return;
          occupySlot();
          state = "held";
        },
        release() {
          if (state === "held") {
            recordDeparture();
            activeCount -= 1;
          }
          state = "left";
        },
      };
    },
  };
}

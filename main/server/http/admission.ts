// Limits the concurrent requests for this machine's engines. Further ones are rejected at once with a time to retry,
// instead of waiting for minutes and delaying all others. Requests of the window are not counted.

import { AppError } from "../../contract/errors.ts";

export const defaultMaxRequests = 64;

/** A request's slot among those in progress or waiting. Not occupied before `acquire`. */
export type RequestSlot = {
  /** No effect if already occupied. @throws AppError `overloaded` */
  acquire(): void;
  /** The client does not read the response: others may use the slot meanwhile. */
  pause(): void;
  resume(): void;
  release(): void;
};

export type Admission = { createSlot(): RequestSlot };

const minRetrySec = 1;
const maxRetrySec = 30;
/** Weight of the latest interval between two departures. */
const smoothingFactor = 0.1;

/** @param nowMs a clock */
export function createAdmission(
  maxRequests: number,
  nowMs: () => number = () => performance.now(),
): Admission {
  let activeCount = 0;
  let departureIntervalMs: number | undefined;
  /** Time of the last departure, or of the arrival that made others wait. */
  let intervalStartMs = 0;
  const isBusy = (): boolean => activeCount >= maxRequests / 2;

  function occupySlot(): void {
    const wasBusy = isBusy();
    activeCount += 1;
    if (!wasBusy && isBusy()) intervalStartMs = nowMs();
  }

  function recordDeparture(): void {
    // The interval between departures shows the throughput only while others wait.
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
              "request.overloaded",
              { max: maxRequests },
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

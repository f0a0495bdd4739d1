// Bounds how many requests this machine's engines are asked for at once: what is beyond it is refused at once and may
// come again, where it would otherwise wait for minutes and make all others wait. What the window asks for is not counted.

import { AppError } from "../../contract/errors.ts";

export const defaultMaxRequests = 64;

/** A request's place among those that are worked on or wait. Nothing is held before `take`. */
export type Place = {
  /** Nothing happens where it is held already. @throws AppError `overloaded` */
  take(): void;
  /** The client does not read what was made for it: others may have the place meanwhile. */
  pause(): void;
  resume(): void;
  leave(): void;
};

export type Admission = { place(): Place };

const minRetrySec = 1;
const maxRetrySec = 30;
/** How much the latest time between two that left counts. */
const latestShare = 0.1;

/** @param nowMs a clock */
export function createAdmission(
  maxRequests: number,
  nowMs: () => number = () => performance.now(),
): Admission {
  let held = 0;
  let betweenMs: number | undefined;
  /** When the last one left, or so many came that others wait. */
  let countedFromMs = 0;
  const isBusy = (): boolean => held >= maxRequests / 2;

  function enter(): void {
    const wasBusy = isBusy();
    held += 1;
    if (!wasBusy && isBusy()) countedFromMs = nowMs();
  }

  function noteLeft(): void {
    // Only while others wait does the time between two tell how fast they are served.
    if (!isBusy()) return;
    const now = nowMs();
    const passedMs = now - countedFromMs;
    betweenMs =
      betweenMs === undefined ? passedMs : betweenMs + latestShare * (passedMs - betweenMs);
    countedFromMs = now;
  }

  /** Estimated time to finish half of the present requests. */
  const retryAfterSec = (): number =>
    Math.min(maxRetrySec, Math.max(minRetrySec, ((betweenMs ?? 0) * maxRequests) / 2000));

  return {
    place() {
      let state: "outside" | "held" | "paused" | "left" = "outside";
      return {
        take() {
          if (state !== "outside") return;
          if (held >= maxRequests)
            throw new AppError(
              "overloaded",
              `This machine is busy: ${maxRequests} requests are being worked on or waiting. Try again later.`,
              { retryAfterSec: retryAfterSec() },
            );
          enter();
          state = "held";
        },
        pause() {
          if (state !== "held") return;
          held -= 1;
          state = "paused";
        },
        resume() {
          if (state !== "paused") return;
          enter();
          state = "held";
        },
        leave() {
          if (state === "held") {
            noteLeft();
            held -= 1;
          }
          state = "left";
        },
      };
    },
  };
}

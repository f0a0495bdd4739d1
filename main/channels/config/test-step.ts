// A step of the test of a channel.

import type { ChannelTest } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";

export type Step = ChannelTest["steps"][number];
/** An AppError means that the key was rejected. */
export type StepResult = Step | AppError;

export const elapsedMs = (startMs: number): number => Math.round(performance.now() - startMs);

export const untestedStep = (
  step: Step["step"],
  message = createMessage("test.notTried"),
): Step => ({
  step,
  outcome: "untested",
  ...message,
});

/** Failure of a step, its timeout included; undefined: it passed. */
export async function captureFailure(
  work: Promise<unknown>,
  limitMs: number,
): Promise<AppError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    if (error instanceof Error && error.name === "TimeoutError") {
      return new AppError("channel.noAnswer", { seconds: limitMs / 1000 }, { cause: error });
    }
    throw error;
  }
}

// Checks early whether a model is available. Waits for the model list of a channel that was just enabled or added. If
// the channel is the problem, the error says so instead of "no such model".

import type { ModelKind } from "../../channels/attempt-plan.ts";
import { AppError } from "../../contract/errors.ts";
import type { GatewayDeps } from "../route-context.ts";

/** @throws AppError if no channel has such a model now */
export async function checkModel(
  { router, channels }: Pick<GatewayDeps, "router" | "channels">,
  model: string,
  kind: ModelKind,
): Promise<void> {
  try {
    router.check(model, kind);
  } catch (error) {
    if (!isUnknownModelError(error)) throw error;
    const unavailableReason = await channels.unavailableReason(model);
    try {
      router.check(model, kind);
    } catch (retryError) {
      throw isUnknownModelError(retryError) ? (unavailableReason ?? retryError) : retryError;
    }
  }
}

const isUnknownModelError = (error: unknown): boolean =>
  error instanceof AppError && error.key === "unknown_model";

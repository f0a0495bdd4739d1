// Whether a model can be asked, before anything is done for it. One whose channel was switched on, or added, a moment ago
// is waited for; where its channel is the trouble, the answer tells that rather than that there is no such model.

import type { ModelKind } from "../../channels/attempt-plan.ts";
import { AppError } from "../../contract/errors.ts";
import type { GatewayDeps } from "../route-context.ts";

/** @throws AppError where nothing of that name does this now */
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

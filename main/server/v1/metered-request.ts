// Requests that hear or speak: the key's scope before, a usage record after, and who served in a header. What the key
// may spend is checked where a channel is about to be asked.

import { AppError } from "../../contract/errors.ts";
import { channelHeader } from "../../contract/openai.ts";
import type { Scope, UsageRecord } from "../../contract/usage.ts";
import { clientClosedStatus, type Meter } from "../../usage/metering.ts";
import type { KeyHolder } from "../../storage/settings/api-keys.ts";
import type { ModelKind } from "../../channels/attempt-plan.ts";
import type { RequestSlot } from "../http/admission.ts";
import type { MeteredContext, RouteContext } from "../route-context.ts";

/** Whose request it is. `window`: the app's own page. */
export type Caller = KeyHolder | "window";

export async function serveMetered(
  request: Request,
  caller: Caller,
  endpoint: UsageRecord["endpoint"],
  context: RouteContext,
  respond: (context: MeteredContext) => Promise<Response>,
): Promise<Response> {
  const slot = caller === "window" ? undefined : context.deps.admission?.createSlot();
  // Whose request can only be for this machine is told before its body is read, and leaves no record.
  if (context.deps.channels.registered().length === 0) slot?.acquire();
  const meter = releaseSlotOnEnd(
    context.deps.metering.start(caller === "window" ? caller : caller.id, endpoint),
    slot,
  );
  const { metered } = meter;
  const admit = (model: string, kind: ModelKind): void => {
    if (context.deps.router.isLocal(model, kind)) slot?.acquire();
  };
  const countBytes = (bytes: number): void => {
    metered.receivedBytes += bytes;
  };
  try {
    checkScope(caller, endpoint === "speech" ? "speech" : "transcribe");
    const response = await respond({
      ...context,
      limits: { ...context.limits, onBytes: countBytes },
      metered,
      admit,
    });
    const servingChannels = [metered.trace.channel ?? [], metered.helpers].flat();
    if (servingChannels.length > 0)
      response.headers.set(channelHeader, toHeaderValue(servingChannels.join(", ")));
    return recordWhenSent(response, meter, request.signal, context.stallTimeoutMs, slot);
  } catch (error) {
    meter.end(
      request.signal.aborted
        ? clientClosedStatus
        : error instanceof AppError
          ? error.row.status
          : 500,
    );
    throw error;
  }
}

const releaseSlotOnEnd = (meter: Meter, slot: RequestSlot | undefined): Meter => ({
  ...meter,
  end(status) {
    slot?.release();
    meter.end(status);
  },
});

/** @throws AppError where the key is not for this. */
export function checkScope(caller: Caller, ...requiredScopes: readonly Scope[]): void {
  if (caller === "window" || requiredScopes.some((scope) => caller.scopes.includes(scope))) return;
  throw new AppError(
    "scope_missing",
    `The API key '${caller.name}' may not do this: it lacks the scope '${requiredScopes.join("' or '")}'.`,
  );
}

/** Channel names are people's: a header takes only some characters. */
const toHeaderValue = (name: string): string => name.replaceAll(/[^\x20-\x7E]/g, "?");

/** A client that reads nothing of its answer for so long is taken to have left: what makes the answer is let go. */
export const defaultStallTimeoutMs = 300_000;

/** Ends the record with the answer: at once where its size is known, else with its last byte. */
function recordWhenSent(
  response: Response,
  meter: Meter,
  requestSignal: AbortSignal,
  stallTimeoutMs: number,
  slot: RequestSlot | undefined,
): Response {
  const { metered } = meter;
  if (response.headers.get("transfer-encoding") !== "chunked" || response.body === null) {
    metered.sentBytes = Number(response.headers.get("content-length") ?? 0);
    meter.end(response.status);
    return response;
  }
  const reader = response.body.getReader();
  let stallTimer: NodeJS.Timeout | undefined;
  let isAbandoned = false;
  /** The record comes after what was broken off has told how much it was. */
  const abandon = (reason: unknown): Promise<void> => {
    isAbandoned = true;
    return reader.cancel(reason).finally(() => meter.end(clientClosedStatus));
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stallTimer);
        slot?.resume();
        try {
          const { done, value } = await reader.read();
          if (isAbandoned) return;
          if (done) {
            meter.end(response.status);
            controller.close();
          } else {
            metered.sentBytes += value.length;
            controller.enqueue(value);
            slot?.pause();
            stallTimer = setTimeout(() => {
              const reason = new Error("the client stopped reading");
              controller.error(reason);
              abandon(reason).catch(() => {});
            }, stallTimeoutMs).unref();
          }
        } catch (error) {
          meter.end(
            isAbandoned || requestSignal.aborted
              ? clientClosedStatus
              : error instanceof AppError
                ? error.row.status
                : 500,
          );
          throw error;
        }
      },
      cancel(reason) {
        clearTimeout(stallTimer);
        return abandon(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

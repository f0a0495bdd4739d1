// Wraps requests for transcription and speech: checks the key's scope, writes a usage record, and names the channel in
// a header. The router checks budgets before each attempt.

import { AppError } from "../../contract/errors.ts";
import { channelHeader } from "../../contract/openai.ts";
import type { Scope, UsageRecord } from "../../contract/usage.ts";
import type { Meter } from "../../usage/metering.ts";
import type { KeyHolder } from "../../storage/settings/issued-keys.ts";
import type { ModelKind } from "../../channels/attempt-plan.ts";
import type { RequestSlot } from "../http/admission.ts";
import type { MeteredContext, RouteContext } from "../route-context.ts";

/** Sender of the request. `window`: the app's own page. */
export type Caller = KeyHolder | "window";

export async function serveMetered(
  request: Request,
  caller: Caller,
  endpoint: UsageRecord["endpoint"],
  context: RouteContext,
  respond: (context: MeteredContext) => Promise<Response>,
): Promise<Response> {
  const slot = caller === "window" ? undefined : context.deps.admission?.createSlot();
  // If there are no other channels, only this machine can serve: reject before reading the body and without a usage
  // record.
  if (context.deps.channels.registered().length === 0) slot?.acquire();
  const meter = releaseSlotOnEnd(
    context.deps.metering.start(caller === "window" ? caller : caller.id, endpoint),
    slot,
  );
  const admit = (model: string, kind: ModelKind): void => {
    if (context.deps.router.isLocal(model, kind)) slot?.acquire();
  };
  let servingChannel: string | undefined;
  try {
    checkScope(caller, endpoint === "speech" ? "speech" : "transcribe");
    const response = await respond({
      ...context,
      limits: { ...context.limits, onBytes: meter.addReceivedBytes },
      meter,
      admit,
      onServing: (channel) => void (servingChannel = channel),
    });
    if (servingChannel !== undefined)
      response.headers.set(channelHeader, toHeaderValue(servingChannel));
    return recordWhenSent(response, meter, request.signal, context.stallTimeoutMs, slot);
  } catch (error) {
    meter.fail(error, request.signal.aborted);
    meter.end();
    throw error;
  }
}

const releaseSlotOnEnd = (meter: Meter, slot: RequestSlot | undefined): Meter => ({
  ...meter,
  end() {
    slot?.release();
    meter.end();
  },
});

/** @throws AppError if the key lacks the scopes */
export function checkScope(caller: Caller, ...requiredScopes: readonly Scope[]): void {
  if (caller === "window" || requiredScopes.some((scope) => caller.scopes.includes(scope))) return;
  throw new AppError("request.scopeMissing", {
    key: caller.name,
    scopes: requiredScopes.join("' or '"),
  });
}

/** Names are free text; headers allow only some characters. */
export const toHeaderValue = (name: string): string => name.replaceAll(/[^\x20-\x7E]/g, "?");

/** A client that reads nothing for this long counts as disconnected, and the work for its response is cancelled. */
export const defaultStallTimeoutMs = 300_000;

/** Ends the usage record with the response: at once if its size is known, else after the last byte. */
function recordWhenSent(
  response: Response,
  meter: Meter,
  requestSignal: AbortSignal,
  stallTimeoutMs: number,
  slot: RequestSlot | undefined,
): Response {
  if (response.headers.get("transfer-encoding") !== "chunked" || response.body === null) {
    meter.addSentBytes(Number(response.headers.get("content-length") ?? 0));
    meter.end();
    return response;
  }
  const reader = response.body.getReader();
  let stallTimer: NodeJS.Timeout | undefined;
  let isAbandoned = false;
  /** Cancelled work reports its usage first, so the record comes after that. */
  const abandon = (reason: unknown): Promise<void> => {
    isAbandoned = true;
    return reader.cancel(reason).finally(() => {
      meter.fail(reason, true);
      meter.end();
    });
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
            meter.end();
            controller.close();
          } else {
            meter.addSentBytes(value.length);
            controller.enqueue(value);
            slot?.pause();
            stallTimer = setTimeout(() => {
              const reason = new Error("the client stopped reading");
              controller.error(reason);
              abandon(reason).catch(() => {});
            }, stallTimeoutMs).unref();
          }
        } catch (error) {
          meter.fail(error, isAbandoned || requestSignal.aborted);
          meter.end();
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

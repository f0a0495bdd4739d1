// Requests that hear or speak: the key's scope before, a usage record after, and who served in a header. What the key
// may spend is checked where a channel is about to be asked.

import { AppError } from "../../contract/errors.ts";
import { channelHeader } from "../../contract/openai.ts";
import type { Scope, UsageRecord } from "../../contract/usage.ts";
import { clientLeft, type Meter } from "../../usage/metering.ts";
import type { KeyHolder } from "../../storage/settings/api-keys.ts";
import type { Kind } from "../../channels/attempt-plan.ts";
import type { Place } from "../http/admission.ts";
import type { MeteredContext, RouteContext } from "../route-context.ts";

/** Whose request it is. `window`: the app's own page. */
export type Asker = KeyHolder | "window";

export async function serveMetered(
  request: Request,
  asker: Asker,
  endpoint: UsageRecord["endpoint"],
  context: RouteContext,
  respond: (context: MeteredContext) => Promise<Response>,
): Promise<Response> {
  const place = asker === "window" ? undefined : context.deps.admission?.place();
  // Whose request can only be for this machine is told before its body is read, and leaves no record.
  if (context.deps.channels.registered().length === 0) place?.take();
  const meter = leavingWithEnd(
    context.deps.metering.start(asker === "window" ? asker : asker.id, endpoint),
    place,
  );
  const { metered } = meter;
  const admit = (model: string, kind: Kind): void => {
    if (context.deps.router.isLocal(model, kind)) place?.take();
  };
  const count = (bytes: number): void => {
    metered.receivedBytes += bytes;
  };
  try {
    checkScope(asker, endpoint === "speech" ? "speak" : "hear");
    const response = await respond({
      ...context,
      limits: { ...context.limits, count },
      metered,
      admit,
    });
    const served = [metered.served.channel ?? [], metered.helpers].flat();
    if (served.length > 0) response.headers.set(channelHeader, asHeader(served.join(", ")));
    return whenSent(response, meter, request.signal, context.stalledMs, place);
  } catch (error) {
    meter.end(
      request.signal.aborted ? clientLeft : error instanceof AppError ? error.row.status : 500,
    );
    throw error;
  }
}

const leavingWithEnd = (meter: Meter, place: Place | undefined): Meter => ({
  ...meter,
  end(status) {
    place?.leave();
    meter.end(status);
  },
});

/** @throws AppError where the key is not for this. */
export function checkScope(asker: Asker, ...anyOf: readonly Scope[]): void {
  if (asker === "window" || anyOf.some((scope) => asker.scopes.includes(scope))) return;
  throw new AppError(
    "scope_missing",
    `The API key '${asker.name}' may not do this: it lacks the scope '${anyOf.join("' or '")}'.`,
  );
}

/** Channel names are people's: a header takes only some characters. */
const asHeader = (name: string): string => name.replaceAll(/[^\x20-\x7E]/g, "?");

/** A client that reads nothing of its answer for so long is taken to have left: what makes the answer is let go. */
export const defaultStalledMs = 300_000;

/** Ends the record with the answer: at once where its size is known, else with its last byte. */
function whenSent(
  response: Response,
  meter: Meter,
  asked: AbortSignal,
  stalledMs: number,
  place: Place | undefined,
): Response {
  const { metered } = meter;
  if (response.headers.get("transfer-encoding") !== "chunked" || response.body === null) {
    metered.sentBytes = Number(response.headers.get("content-length") ?? 0);
    meter.end(response.status);
    return response;
  }
  const reader = response.body.getReader();
  let stalled: NodeJS.Timeout | undefined;
  let isLeft = false;
  /** The record comes after what was broken off has told how much it was. */
  const leave = (reason: unknown): Promise<void> => {
    isLeft = true;
    return reader.cancel(reason).finally(() => meter.end(clientLeft));
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        place?.resume();
        try {
          const { done, value } = await reader.read();
          if (isLeft) return;
          if (done) {
            meter.end(response.status);
            controller.close();
          } else {
            metered.sentBytes += value.length;
            controller.enqueue(value);
            place?.pause();
            stalled = setTimeout(() => {
              const reason = new Error("the client stopped reading");
              controller.error(reason);
              leave(reason).catch(() => {});
            }, stalledMs).unref();
          }
        } catch (error) {
          meter.end(
            isLeft || asked.aborted
              ? clientLeft
              : error instanceof AppError
                ? error.row.status
                : 500,
          );
          throw error;
        }
      },
      cancel(reason) {
        clearTimeout(stalled);
        return leave(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

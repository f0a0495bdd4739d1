// Streamed responses: raw bytes, or objects as server-sent events. Chunks are generated on demand (backpressure); a
// closed connection stops the generator.

import type { AppError } from "../../contract/errors.ts";
import { errorBody } from "./error-response.ts";

/** Maximum silence of an event stream before a keep-alive comment is sent. */
export const defaultKeepAliveMs = 15_000;

/** Headers of every streamed response: proxies must not buffer it. listen.ts detects streams by the first one. */
const streamHeaders = {
  "transfer-encoding": "chunked",
  "x-accel-buffering": "no",
  "cache-control": "no-store",
};

export interface ChunkSource {
  /** `undefined` at the end. A failure aborts the response. */
  next(): Promise<Uint8Array | undefined>;
  /** Releases the generator's resources; called if the connection closes first. */
  close(): Promise<unknown>;
}

/** `stop` cancels the work behind `source`. */
export function streamResponse(
  source: ChunkSource,
  stop: AbortController,
  headers: Record<string, string>,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await source.next();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      async cancel(reason) {
        stop.abort(reason);
        await source.close().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...streamHeaders, ...headers } });
}

export type EventStreamOptions = {
  stop: AbortController;
  keepAliveMs: number;
  /** Error event for the client after a failure in mid-stream. */
  toAppError(error: unknown): AppError;
};

/** A failure before the first event is thrown, so that it gets a status; a later one becomes an event. */
export async function eventStreamResponse<Event extends object>(
  events: AsyncGenerator<Event>,
  { stop, keepAliveMs, toAppError }: EventStreamOptions,
): Promise<Response> {
  const encoder = new TextEncoder();
  const encodeEvent = (event: object) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
  let pendingEvent: Promise<IteratorResult<Event>> | undefined = events.next();
  await raceKeepAlive(pendingEvent, keepAliveMs);

  const source: ChunkSource = {
    async next() {
      pendingEvent ??= events.next();
      try {
        const result = await raceKeepAlive(pendingEvent, keepAliveMs);
        if (result === "quiet") return encoder.encode(": still at it\n\n");
        pendingEvent = undefined;
        return result.done ? undefined : encodeEvent(result.value);
      } catch (error) {
        // The events ended with this failure; there is no next one to request.
        pendingEvent = undefined;
        if (stop.signal.aborted) throw error;
        return encodeEvent(errorBody(toAppError(error)));
      }
    },
    close: () => events.return(undefined),
  };
  return streamResponse(source, stop, { "content-type": "text/event-stream; charset=utf-8" });
}

async function raceKeepAlive<T>(
  pendingEvent: Promise<T>,
  keepAliveMs: number,
): Promise<T | "quiet"> {
  const keepAlive = Promise.withResolvers<"quiet">();
  const timer = setTimeout(() => keepAlive.resolve("quiet"), keepAliveMs);
  try {
    return await Promise.race([pendingEvent, keepAlive.promise]);
  } finally {
    clearTimeout(timer);
  }
}

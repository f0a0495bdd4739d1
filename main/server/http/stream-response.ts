// Answers that are sent while they are made: bytes as they are, or objects as server-sent events. A chunk is made
// only when the connection takes it; a connection that ends stops the maker.

import type { AppError } from "../../contract/errors.ts";
import { errorBody } from "./error-response.ts";

/** How long an event stream may be quiet before a comment tells that it lives. */
export const defaultKeepAliveMs = 15_000;

/** What every streamed answer says: proxies shall not hold it back. The listener takes the first for its cue. */
const streamHeaders = {
  "transfer-encoding": "chunked",
  "x-accel-buffering": "no",
  "cache-control": "no-store",
};

export interface ChunkSource {
  /** `undefined` at the end. A failure breaks the answer off. */
  next(): Promise<Uint8Array | undefined>;
  /** Lets go of what makes the chunks; called where the connection ended first. */
  close(): Promise<unknown>;
}

/** `stop` is what cancels the work behind `source`. */
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
  /** What the client is told of a failure once the stream has begun. */
  toAppError(error: unknown): AppError;
};

/** A failure before the first event is thrown, so that it gets a status of its own; a later one becomes an event. */
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
        // The events have ended with this failure: the next one asked for is none.
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

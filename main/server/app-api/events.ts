// GET /app/events: server-sent events for an open window.

import type { AppEvents } from "../../jobs/events.ts";
import { streamResponse } from "../http/stream-response.ts";
import type { AppApiRoutes } from "./handlers.ts";

/** Delay before a window reconnects. */
const retryMs = 1000;

export function eventRoutes(events: AppEvents): AppApiRoutes {
  return {
    handlers: {},
    rawRoutes: [
      {
        method: "GET",
        path: "/app/events",
        respond: (_request, _params, { keepAliveMs }) => eventStream(events, keepAliveMs),
      },
    ],
  };
}

function eventStream(events: AppEvents, keepAliveMs: number): Response {
  const encoder = new TextEncoder();
  const subscription = events.subscribe();
  // Sent at once, so that the window knows that it is connected.
  let greeting: string | undefined = `retry: ${retryMs}\n: hello\n\n`;
  let pendingEvent: ReturnType<typeof subscription.next> | undefined;
  return streamResponse(
    {
      async next() {
        if (greeting !== undefined) {
          const text = greeting;
          greeting = undefined;
          return encoder.encode(text);
        }
        pendingEvent ??= subscription.next();
        const keepAlive = Promise.withResolvers<"quiet">();
        const timer = setTimeout(() => keepAlive.resolve("quiet"), keepAliveMs);
        const event = await Promise.race([pendingEvent, keepAlive.promise]);
        clearTimeout(timer);
        if (event === "quiet") return encoder.encode(": still here\n\n");
        pendingEvent = undefined;
        return event === undefined
          ? undefined
          : encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
      },
      close: async () => subscription.close(),
    },
    new AbortController(),
    { "content-type": "text/event-stream; charset=utf-8" },
  );
}

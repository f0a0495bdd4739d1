// The official client of realtime sessions, and waiting for its events.

import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { onTestFinished } from "vitest";

export type RealtimeEvent = { type: string } & Record<string, unknown>;

/** Collects events; `until` waits for one of a type. */
export function collect(add: (listener: (event: RealtimeEvent) => void) => void) {
  const events: RealtimeEvent[] = [];
  const waiting = new Set<() => void>();
  add((event) => {
    events.push(event);
    for (const check of waiting) check();
  });
  return {
    events,
    types: () => events.map(({ type }) => type),
    until: (type: string, count = 1): Promise<RealtimeEvent> =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = events.filter((event) => event.type === type);
          if (found.length < count) return;
          waiting.delete(check);
          resolve(found[count - 1] as RealtimeEvent);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** The official client, which always writes wss. */
export function openRealtime(port: number, apiKey: string) {
  const client = new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}/v1` });
  const realtime = new OpenAIRealtimeWS(
    {
      model: "whisper-1",
      options: { createConnection: () => connect(port, "127.0.0.1") } as object,
    },
    client,
  );
  onTestFinished(() => realtime.close());
  return {
    realtime,
    ...collect((listener) => {
      realtime.on("event", (event) => listener(event as unknown as RealtimeEvent));
      realtime.on("error", () => {});
    }),
  };
}

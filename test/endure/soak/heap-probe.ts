// Runs inside the watched process (`--expose-gc --import`): reports its memory after a forced garbage collection.

import { setImmediate as nextTurn } from "node:timers/promises";

export type HeapMetrics = {
  type: "heap";
  heapUsedBytes: number;
  externalBytes: number;
  rssBytes: number;
};

process.on("message", (message: unknown) => {
  if ((message as { type?: string }).type === "measure heap") void sendMetrics();
});

async function sendMetrics(): Promise<void> {
  // Objects finalized by one collection are freed by the next one.
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({
    type: "heap",
    heapUsedBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
  } satisfies HeapMetrics);
}

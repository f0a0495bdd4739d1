// Polls /health from its own thread, so that the caller's work on large responses delays no request.

import { once } from "node:events";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const pollIntervalMs = 50;

export type HealthPoll = {
  /** Duration of each request since the previous call, in milliseconds. */
  times(): Promise<number[]>;
  stop(): Promise<void>;
};

export function pollHealth(url: string): HealthPoll {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url } });
  return {
    async times() {
      worker.postMessage("times", []);
      const [times] = (await once(worker, "message")) as [number[]];
      return times;
    },
    stop: async () => void (await worker.terminate()),
  };
}

function poll(url: string): void {
  let times: number[] = [];
  const pending = new Set<Promise<void>>();
  const request = async (): Promise<void> => {
    const startMs = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - startMs);
  };
  setInterval(() => {
    const current = request().finally(() => pending.delete(current));
    pending.add(current);
  }, pollIntervalMs);
  parentPort?.on("message", async () => {
    await Promise.all(pending);
    parentPort?.postMessage(times, []);
    times = [];
  });
}

if (!isMainThread) poll((workerData as { url: string }).url);

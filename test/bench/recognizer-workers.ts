// Bare recognisers, one a process, that take the pieces of a recording from one queue: no HTTP, no decoding, no
// voice activity, the samples in memory beforehand. What an API can be compared with.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SpeechSegmentSpan } from "../../main/audio/dsp/vad-segmenter.ts";

/** What a worker module is told. `options` are its own. */
export type WorkerRequest =
  | { type: "open"; options: unknown }
  | { type: "recording"; pcmPath: string }
  | { type: "hear"; segments: SpeechSegmentSpan[] };
/** `ms` is the recogniser's own time. */
export type WorkerResponse = { type: "ready" } | { type: "heard"; texts: string[]; ms: number };

export type RecognizerWorkers = {
  /** Loads a recording of 16-bit mono PCM at 16 kHz into every worker. */
  load(pcmPath: string): Promise<void>;
  /** Texts in the order of the batches; `ms` from giving the first to taking the last, `engineMs` without the queue. */
  transcribe(
    batches: readonly SpeechSegmentSpan[][],
  ): Promise<{ text: string; ms: number; engineMs: number }>;
  close(): Promise<void>;
};

export type WorkerSetup = {
  modulePath: string;
  count: number;
  options: unknown;
  env?: Record<string, string>;
};

/** @throws Error where a worker ends before it is ready */
export async function startRecognizerWorkers({
  modulePath,
  count,
  options,
  env = {},
}: WorkerSetup): Promise<RecognizerWorkers> {
  const children = Array.from({ length: count }, () =>
    fork(modulePath, [], {
      execArgv: [],
      serialization: "advanced",
      env: { ...process.env, ORT_DISABLE_TELEMETRY: "1", ...env },
    }),
  );
  await Promise.all(children.map((child) => sendRequest(child, { type: "open", options })));

  return {
    async load(pcmPath) {
      await Promise.all(
        children.map((child) => sendRequest(child, { type: "recording", pcmPath })),
      );
    },
    async transcribe(batches) {
      const texts: string[][] = [];
      let next = 0;
      let engineMs = 0;
      const start = performance.now();
      await Promise.all(
        children.map(async (child) => {
          for (let batchIndex = next++; batchIndex < batches.length; batchIndex = next++) {
            const response = await sendRequest(child, {
              type: "hear",
              segments: batches[batchIndex] ?? [],
            });
            if (response.type !== "heard") continue;
            texts[batchIndex] = response.texts;
            engineMs += response.ms;
          }
        }),
      );
      return { text: texts.flat().join(" "), ms: performance.now() - start, engineMs };
    },
    async close() {
      const exited = children.map((child) => once(child, "exit"));
      for (const child of children) child.disconnect();
      await Promise.all(exited);
    },
  };
}

/** One answer to one message. */
async function sendRequest(child: ChildProcess, message: WorkerRequest): Promise<WorkerResponse> {
  const listeners = new AbortController();
  const exited = once(child, "exit", { signal: listeners.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
  });
  exited.catch(() => {});
  const responseMessage = once(child, "message", { signal: listeners.signal });
  responseMessage.catch(() => {});
  child.send(message);
  try {
    const [response] = (await Promise.race([responseMessage, exited])) as [WorkerResponse];
    return response;
  } finally {
    listeners.abort();
  }
}

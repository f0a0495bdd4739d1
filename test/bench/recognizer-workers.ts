// Bare recognizers, one per process, that take the speech segments of a recording from one queue: the baseline for an
// API, without HTTP, decoding and VAD, and with the samples in memory.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SpeechSegmentSpan } from "../../main/audio/dsp/vad-segmenter.ts";

/** A request to a worker. `options` are specific to its module. */
export type WorkerRequest =
  | { type: "open"; options: unknown }
  | { type: "recording"; pcmPath: string }
  | { type: "transcribe"; segments: SpeechSegmentSpan[] };
/** `ms`: time spent in the recognizer. */
export type WorkerResponse =
  | { type: "ready" }
  | { type: "transcribed"; texts: string[]; ms: number };

export type RecognizerWorkers = {
  /** Loads a recording of 16-bit mono PCM at 16 kHz into every worker. */
  load(pcmPath: string): Promise<void>;
  /**
   * `text`: in the order of the batches. `ms`: from sending the first batch to receiving the last result. `engineMs`:
   * sum of the recognizers' times.
   */
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

/** @throws Error if a worker exits before it is ready */
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
              type: "transcribe",
              segments: batches[batchIndex] ?? [],
            });
            if (response.type !== "transcribed") continue;
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

/** Sends a message and waits for the response. @throws Error if the worker exits */
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

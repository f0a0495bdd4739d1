// Bare recognisers, one a process, that take the pieces of a recording from one queue: no HTTP, no decoding, no
// voice activity, the samples in memory beforehand. What an API can be compared with.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { PieceSpan } from "../../main/audio/dsp/segments.ts";

/** What a worker module is told. `options` are its own. */
export type ToWorker =
  | { type: "open"; options: unknown }
  | { type: "recording"; pcmPath: string }
  | { type: "hear"; pieces: PieceSpan[] };
/** `ms` is the recogniser's own time. */
export type FromWorker = { type: "ready" } | { type: "heard"; texts: string[]; ms: number };

export type PieceWorkers = {
  /** Loads a recording of 16-bit mono PCM at 16 kHz into every worker. */
  load(pcmPath: string): Promise<void>;
  /** Texts in the order of the batches; `ms` from giving the first to taking the last, `engineMs` without the queue. */
  hear(batches: readonly PieceSpan[][]): Promise<{ text: string; ms: number; engineMs: number }>;
  close(): Promise<void>;
};

export type WorkerSetup = {
  modulePath: string;
  count: number;
  options: unknown;
  env?: Record<string, string>;
};

/** @throws Error where a worker ends before it is ready */
export async function startPieceWorkers({
  modulePath,
  count,
  options,
  env = {},
}: WorkerSetup): Promise<PieceWorkers> {
  const children = Array.from({ length: count }, () =>
    fork(modulePath, [], {
      execArgv: [],
      serialization: "advanced",
      env: { ...process.env, ORT_DISABLE_TELEMETRY: "1", ...env },
    }),
  );
  await Promise.all(children.map((child) => ask(child, { type: "open", options })));

  return {
    async load(pcmPath) {
      await Promise.all(children.map((child) => ask(child, { type: "recording", pcmPath })));
    },
    async hear(batches) {
      const texts: string[][] = [];
      let next = 0;
      let engineMs = 0;
      const start = performance.now();
      await Promise.all(
        children.map(async (child) => {
          for (let turn = next++; turn < batches.length; turn = next++) {
            const answer = await ask(child, { type: "hear", pieces: batches[turn] ?? [] });
            if (answer.type !== "heard") continue;
            texts[turn] = answer.texts;
            engineMs += answer.ms;
          }
        }),
      );
      return { text: texts.flat().join(" "), ms: performance.now() - start, engineMs };
    },
    async close() {
      const exits = children.map((child) => once(child, "exit"));
      for (const child of children) child.disconnect();
      await Promise.all(exits);
    },
  };
}

/** One answer to one message. */
async function ask(child: ChildProcess, message: ToWorker): Promise<FromWorker> {
  const lost = new AbortController();
  const exited = once(child, "exit", { signal: lost.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code}`);
  });
  exited.catch(() => {});
  const answered = once(child, "message", { signal: lost.signal });
  answered.catch(() => {});
  child.send(message);
  try {
    const [answer] = (await Promise.race([answered, exited])) as [FromWorker];
    return answer;
  } finally {
    lost.abort();
  }
}

// Kokoro's graph. onnxruntime-node computes on the thread that calls it, so sessions have threads of their own, on
// which two sentences are computed side by side: together they take less time than one after the other. The first
// sentence of a text is computed alone, with more than one core, since its sound is waited for. The second session is
// opened when a sentence has to wait for the first.

import { once } from "node:events";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";

export type SpeechGraphInput = {
  readonly phonemeIds: readonly number[];
  readonly style: Float32Array;
  readonly speed: number;
};

export type SpeechGraph = {
  /** Several may run at the same time. @returns samples at 24 kHz */
  run(input: SpeechGraphInput): Promise<Float32Array>;
  close(): Promise<void>;
};

export type SpeechThreadData = {
  readonly path: string;
  /** Computing threads of its session. */
  readonly threads: number;
};
/** The first message has no samples: the session is open. */
export type FromSpeechThread =
  | { readonly samples: Float32Array | undefined }
  | { readonly error: string };

type SpeechThread = Pick<SpeechGraph, "run" | "close">;
type Waiting = {
  readonly input: SpeechGraphInput;
  readonly resolve: (samples: Promise<Float32Array>) => void;
};

/** Longer chunks are computed by the first session only: memory grows with the length of their sound, and is kept. */
const maxPhonemesBeside = 125;
const isShort = ({ phonemeIds, speed }: SpeechGraphInput): boolean =>
  phonemeIds.length / speed <= maxPhonemesBeside;

/** A session takes 300 MB with such chunks. */
const minAvailableBytes = 400e6;

/** @param threads cores to use */
export async function openSpeechGraph(path: string, threads: number): Promise<SpeechGraph> {
  const waiting: Waiting[] = [];
  // Equal numbers, since the samples depend on them.
  const data = { path, threads: Math.min(threads, Math.max(2, Math.ceil(threads / 2))) };
  const first = await openThread(data);
  let second: Promise<SpeechThread> | undefined;
  const isBusy = { first: false, second: false };
  /** The first session computes what came when nothing else was computed: others wait for it. */
  let isAlone = false;

  const nextIndex = (name: keyof typeof isBusy): number =>
    waiting.findIndex(({ input }) => name === "first" || isShort(input));

  async function serve(thread: SpeechThread, name: keyof typeof isBusy): Promise<void> {
    for (;;) {
      const at = nextIndex(name);
      const [next] = at === -1 ? [] : waiting.splice(at, 1);
      isBusy[name] = next !== undefined;
      if (next === undefined) return;
      const samples = thread.run(next.input);
      next.resolve(samples);
      void serveBySecond();
      await samples.catch(() => {});
      isAlone = false;
    }
  }

  const hasMemory = (): boolean =>
    second !== undefined || process.availableMemory() > minAvailableBytes;

  async function serveBySecond(): Promise<void> {
    if (isBusy.second || isAlone || nextIndex("second") === -1 || !hasMemory()) return;
    isBusy.second = true;
    second ??= openThread(data);
    const thread = await second.catch(() => undefined);
    // Where it cannot be opened, it stays busy, and the first computes everything.
    if (thread !== undefined) await serve(thread, "second");
  }

  return {
    run: (input) =>
      new Promise((resolve) => {
        waiting.push({ input, resolve });
        isAlone ||= !isBusy.first && !isBusy.second;
        if (isBusy.first) void serveBySecond();
        else void serve(first, "first");
      }),
    async close() {
      await first.close();
      await (await second?.catch(() => undefined))?.close();
    },
  };
}

async function openThread(data: SpeechThreadData): Promise<SpeechThread> {
  // Same extension as this file: source (.ts) or build (.js).
  const worker = new Worker(
    join(import.meta.dirname, `speech-thread${extname(import.meta.filename)}`),
    { workerData: data, execArgv: [] },
  );
  async function receive(): Promise<Float32Array | undefined> {
    const [message] = (await once(worker, "message")) as [FromSpeechThread];
    if ("error" in message) throw new Error(message.error);
    return message.samples;
  }
  const close = async (): Promise<void> => void (await worker.terminate());
  try {
    await receive();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async run(input) {
      worker.postMessage(input, []);
      return (await receive()) ?? new Float32Array();
    },
    close,
  };
}

// Sends recorded audio to the app: in order, a quarter of a second at a time, with retries. A sample is dropped only
// when the app has confirmed that it is stored.

import { messageOf } from "../api/error.ts";

export type SenderState = {
  /** Samples the app has on disk. */
  readonly storedSamples: number;
  /** Samples recorded so far. */
  readonly recordedSamples: number;
  /** Why the last request failed; retries go on. */
  readonly message: string | undefined;
};

export type AudioSender = {
  push(samples: Int16Array): void;
  /** Sends the rest; resolves when every sample is stored. */
  end(): Promise<void>;
  /** Samples that are not stored yet, and the index of the first: for a last attempt when the page closes. */
  unsent(): { from: number; samples: Int16Array<ArrayBuffer> };
  close(): void;
};

export type SenderDeps = {
  /**
   * `from` is the index of the first sample. Sending stored samples again is harmless.
   * @returns how many samples are stored
   */
  send(from: number, samples: Int16Array<ArrayBuffer>): Promise<number>;
  onChange(state: SenderState): void;
};

/** Words appear while they are spoken. */
const chunkSamples = 4000;
/** More per request after an interruption. */
const maxRequestSamples = 320_000;
const retryMs = [500, 1000, 2000, 5000] as const;

export function createAudioSender({ send, onChange }: SenderDeps): AudioSender {
  const blocks: Int16Array[] = [];
  /** Also the index of the first sample in `blocks`. */
  let storedSamples = 0;
  let recordedSamples = 0;
  let message: string | undefined;
  let failureCount = 0;
  let isBusy = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let finished: PromiseWithResolvers<void> | undefined;

  const notifyChange = (): void => onChange({ storedSamples, recordedSamples, message });

  /** The first `maxCount` samples in one array. */
  function firstSamples(maxCount: number): Int16Array<ArrayBuffer> {
    const samples = new Int16Array(Math.min(maxCount, recordedSamples - storedSamples));
    let at = 0;
    for (const block of blocks) {
      if (at >= samples.length) break;
      const part = block.subarray(0, samples.length - at);
      samples.set(part, at);
      at += part.length;
    }
    return samples;
  }

  function dropStored(count: number): void {
    storedSamples += count;
    let remainingCount = count;
    while (remainingCount > 0) {
      const block = blocks.shift();
      if (block === undefined) return;
      if (block.length > remainingCount) blocks.unshift(block.subarray(remainingCount));
      remainingCount -= block.length;
    }
  }

  const hasMore = (): boolean =>
    !isClosed && recordedSamples - storedSamples >= (finished === undefined ? chunkSamples : 1);

  async function run(): Promise<void> {
    if (isBusy || isClosed) return;
    isBusy = true;
    while (hasMore()) {
      const from = storedSamples;
      const samples = firstSamples(maxRequestSamples);
      try {
        const storedCount = await send(from, samples);
        // A delayed response may report fewer samples than were dropped already.
        if (storedCount <= from) throw new Error(`kept ${storedCount} of ${from + samples.length}`);
        dropStored(Math.min(storedCount, recordedSamples) - from);
        failureCount = 0;
        message = undefined;
      } catch (error) {
        message = messageOf(error);
        timer = setTimeout(() => void run(), retryMs[Math.min(failureCount, retryMs.length - 1)]);
        failureCount += 1;
        break;
      } finally {
        notifyChange();
      }
    }
    isBusy = false;
    if (recordedSamples === storedSamples) finished?.resolve();
  }

  return {
    push(samples) {
      if (samples.length === 0) return;
      blocks.push(samples);
      recordedSamples += samples.length;
      notifyChange();
      // Otherwise the scheduled retry sends them.
      if (failureCount === 0) void run();
    },
    async end() {
      finished ??= Promise.withResolvers<void>();
      clearTimeout(timer);
      void run();
      await finished.promise;
    },
    unsent: () => ({ from: storedSamples, samples: firstSamples(recordedSamples - storedSamples) }),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

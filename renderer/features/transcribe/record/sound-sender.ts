// Recorded sound on its way to the app's disk: about a second at a time, in order, sent again until it is kept. A sample
// is let go only when the app says that it has it.

import { messageOf } from "../../../api/error.ts";

export type SenderState = {
  /** Samples the app has on disk. */
  readonly kept: number;
  /** Samples made so far. */
  readonly made: number;
  /** Why sending fails at the moment; it goes on trying. */
  readonly message: string | undefined;
};

export type SoundSender = {
  push(samples: Int16Array): void;
  /** Sends the rest; resolves when every sample is kept. */
  end(): Promise<void>;
  /** What is not kept yet, and the place of its first sample: for a last attempt as the page goes away. */
  rest(): { from: number; samples: Int16Array<ArrayBuffer> };
  close(): void;
};

export type SenderDeps = {
  /** `from` is the place of the first sample; answers how many samples are kept. Sending what is kept already does no harm. */
  send(from: number, samples: Int16Array<ArrayBuffer>): Promise<number>;
  onChange(state: SenderState): void;
};

const chunkSamples = 16_000;
/** After a break, more at once. */
const maxSamples = 20 * chunkSamples;
const retryMs = [500, 1000, 2000, 5000] as const;

export function createSoundSender({ send, onChange }: SenderDeps): SoundSender {
  const blocks: Int16Array[] = [];
  /** Place of the first sample of `blocks`. */
  let kept = 0;
  let made = 0;
  let message: string | undefined;
  let tries = 0;
  let isBusy = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended: PromiseWithResolvers<void> | undefined;

  const tell = (): void => onChange({ kept, made, message });

  /** The first samples there are, up to so many, as one. */
  function head(most: number): Int16Array<ArrayBuffer> {
    const samples = new Int16Array(Math.min(most, made - kept));
    let at = 0;
    for (const block of blocks) {
      if (at >= samples.length) break;
      const part = block.subarray(0, samples.length - at);
      samples.set(part, at);
      at += part.length;
    }
    return samples;
  }

  function drop(count: number): void {
    kept += count;
    let left = count;
    while (left > 0) {
      const block = blocks.shift();
      if (block === undefined) return;
      if (block.length > left) blocks.unshift(block.subarray(left));
      left -= block.length;
    }
  }

  const hasMore = (): boolean =>
    !isClosed && made - kept >= (ended === undefined ? chunkSamples : 1);

  async function run(): Promise<void> {
    if (isBusy || isClosed) return;
    isBusy = true;
    while (hasMore()) {
      const from = kept;
      const samples = head(maxSamples);
      try {
        const now = await send(from, samples);
        // An answer from before a break of the line may name fewer than are let go already.
        if (now <= from) throw new Error(`kept ${now} of ${from + samples.length}`);
        drop(Math.min(now, made) - from);
        tries = 0;
        message = undefined;
      } catch (error) {
        message = messageOf(error);
        timer = setTimeout(() => void run(), retryMs[Math.min(tries, retryMs.length - 1)]);
        tries += 1;
        break;
      } finally {
        tell();
      }
    }
    isBusy = false;
    if (made === kept) ended?.resolve();
  }

  return {
    push(samples) {
      if (samples.length === 0) return;
      blocks.push(samples);
      made += samples.length;
      tell();
      // A retry that is waiting sees to it.
      if (tries === 0) void run();
    },
    async end() {
      ended ??= Promise.withResolvers<void>();
      clearTimeout(timer);
      void run();
      await ended.promise;
    },
    rest: () => ({ from: kept, samples: head(made - kept) }),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

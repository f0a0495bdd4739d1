// The input of a recording. It can be replaced by another one while recording, without a gap or an overlap in time.

import type { AudioInput, AudioInputEvents, AudioSource } from "../../../bridge/audio-source.ts";

export type RecordingInput = {
  /** @throws DOMException of the browser; then the previous input, if any, goes on */
  open(source: AudioSource): Promise<AudioInput>;
  pause(): void;
  resume(): void;
  /** Blocks in transit are delivered before this resolves. */
  close(): Promise<void>;
};

type RecordingInputDeps = {
  open(source: AudioSource, events: AudioInputEvents): Promise<AudioInput>;
  onBlock: AudioInputEvents["onBlock"];
  /** The input in use is gone. */
  onLost(source: AudioSource): void;
};

export function createRecordingInput({
  open,
  onBlock,
  onLost,
}: RecordingInputDeps): RecordingInput {
  let current: AudioInput | undefined;
  /** Of the events that count. */
  let currentKey: symbol | undefined;
  let isPaused = false;
  let isClosed = false;
  /** One after the other. */
  let opening: Promise<unknown> = Promise.resolve();
  let switching: Promise<void> = Promise.resolve();

  async function replace(source: AudioSource): Promise<AudioInput> {
    const key = Symbol(source.kind);
    /** What arrives while the previous input delivers its last block; before that, only the previous one counts. */
    let waiting: [Int16Array, number][] | undefined;
    let isLost = false;

    async function switchTo(input: AudioInput): Promise<void> {
      waiting = [];
      await current?.close();
      current = input;
      currentKey = key;
      if (isPaused) input.pause();
      else for (const [samples, peak] of waiting) onBlock(samples, peak);
    }

    const input = await open(source, {
      onBlock(samples, peak) {
        if (currentKey === key) onBlock(samples, peak);
        else waiting?.push([samples, peak]);
      },
      onLost() {
        isLost = true;
        if (currentKey === key) onLost(source);
      },
    });
    if (isClosed) {
      await input.close();
      return input;
    }
    switching = switchTo(input);
    await switching;
    if (isLost) onLost(source);
    return input;
  }

  return {
    open(source) {
      const opened = opening.then(() => replace(source));
      opening = opened.catch(() => undefined);
      return opened;
    },
    pause() {
      isPaused = true;
      current?.pause();
    },
    resume() {
      isPaused = false;
      current?.resume();
    },
    async close() {
      // Does not wait for an input that is being opened: that may take as long as somebody is asked for permission.
      isClosed = true;
      await switching;
      await current?.close();
      current = undefined;
      currentKey = undefined;
    },
  };
}

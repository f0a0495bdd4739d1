// Streams of the library that stay open between drafts of growing speech, by the speech. None is needed: without one, a
// draft begins again from the first sample.

import type { GrowingUtterance } from "../../contract/speech.ts";
import { sttSampleRateHz } from "../engine.ts";
import type { OnlineStream } from "./sherpa-onnx.ts";

/** More sessions at a time are rare. Each stream holds some megabytes. */
const maxOpen = 4;
/** Drafts follow each other within a second, pauses included. */
const maxIdleMs = 60_000;

export type FedStream = {
  readonly stream: OnlineStream;
  fedSamples(): number;
  /** Gives it those samples that it was not given yet. @param samples from the start of the speech */
  feed(samples: Float32Array): void;
  finish(tail: Float32Array): void;
};

export type OpenStreams = {
  /** A stream that nothing else uses. */
  open(): FedStream;
  /**
   * The stream of the speech, or a new one: after other speech, in another process, or where the stream was given more
   * than there is now. It is kept if `work` succeeds and the speech is not over.
   */
  use<Result>(
    utterance: GrowingUtterance,
    samples: number,
    work: (fed: FedStream) => Promise<Result>,
  ): Promise<Result>;
  clear(): void;
};

/** @param now milliseconds of a monotonic clock */
export function createOpenStreams(
  createStream: () => OnlineStream,
  now: () => number = () => performance.now(),
): OpenStreams {
  /** The one used last is the last. */
  const streams = new Map<string, { fed: FedStream; usedMs: number }>();

  function open(): FedStream {
    const stream = createStream();
    let fedSamples = 0;
    const accept = (samples: Float32Array): void =>
      stream.acceptWaveform({ samples, sampleRate: sttSampleRateHz });
    return {
      stream,
      feed(samples) {
        if (samples.length > fedSamples) accept(samples.subarray(fedSamples));
        fedSamples = samples.length;
      },
      finish(tail) {
        accept(tail);
        stream.inputFinished();
      },
      fedSamples: () => fedSamples,
    };
  }

  function dropUnused(): void {
    for (const [id, { usedMs }] of streams)
      if (streams.size > maxOpen || now() - usedMs > maxIdleMs) streams.delete(id);
  }

  return {
    open,
    async use({ id, isOver }, samples, work) {
      const known = streams.get(id)?.fed;
      streams.delete(id);
      const fed = known === undefined || known.fedSamples() > samples ? open() : known;
      const result = await work(fed);
      if (!isOver) streams.set(id, { fed, usedMs: now() });
      dropUnused();
      return result;
    },
    clear: () => streams.clear(),
  };
}

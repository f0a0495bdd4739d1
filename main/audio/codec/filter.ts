// Runs an FFmpeg audio filter over mono samples, block by block. Uses node-av's synchronous calls, so it must run in a
// child process. The caller chooses the filter and interprets its metadata.

import { AV_CHANNEL_ORDER_NATIVE, AV_LOG_QUIET, AV_SAMPLE_FMT_FLT } from "node-av/constants";
import {
  type ChannelLayout,
  Filter,
  FilterGraph,
  FFmpegError,
  Frame,
  Log,
  Rational,
} from "node-av/lib";
import { joinSamples } from "./pcm.ts";

export interface AudioFilter {
  /** Takes samples and returns those that are ready: fewer or more per call, but the same number in total. */
  run(samples: Float32Array): Float32Array;
  /** The remaining samples. No call to `run` may follow. */
  finish(): Float32Array;
  /** The filter's metadata for its latest samples, by FFmpeg's names. */
  metadata(): Readonly<Record<string, string>>;
  close(): void;
}

const monoLayout: ChannelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };

/** @param chain filters with their options: `[name, 'option=value:…']` */
export function openFilter(
  chain: readonly (readonly [name: string, options: string])[],
  sampleRateHz: number,
): AudioFilter {
  Log.setLevel(AV_LOG_QUIET);
  const graph = new FilterGraph();
  graph.alloc();
  const add = (name: string, options = "") => {
    const filter = Filter.getByName(name);
    const context =
      filter === null ? null : graph.createFilter(filter, `${name}-${graph.nbFilters}`, options);
    if (context === null)
      throw new Error(`This build of FFmpeg has no filter ${name} with ${options}.`);
    return context;
  };
  const source = add(
    "abuffer",
    `sample_rate=${sampleRateHz}:sample_fmt=flt:channel_layout=mono:time_base=1/${sampleRateHz}`,
  );
  const sink = add("abuffersink");
  let lastFilter = source;
  for (const filter of [
    ...chain.map(([name, options]) => add(name, options)),
    add("aformat", `sample_fmts=flt:sample_rates=${sampleRateHz}:channel_layouts=mono`),
    sink,
  ]) {
    FFmpegError.throwIfError(lastFilter.link(0, filter, 0), "filter link");
    lastFilter = filter;
  }
  FFmpegError.throwIfError(graph.configSync(), "filter graph");
  const output = new Frame();
  output.alloc();
  let sentSamples = 0;
  let metadata: Readonly<Record<string, string>> = {};
  let isClosed = false;

  function drain(): Float32Array {
    const parts: Float32Array[] = [];
    while (sink.buffersinkGetFrameSync(output) >= 0) {
      const samples = new Float32Array(output.nbSamples);
      new Uint8Array(samples.buffer).set(output.toBuffer().subarray(0, samples.byteLength));
      parts.push(samples);
      const frameMetadata = output.getMetadata().getAll();
      // The last, shorter block may have no metadata.
      if (Object.keys(frameMetadata).length > 0) metadata = frameMetadata;
      output.unref();
    }
    return joinSamples(parts);
  }

  return {
    run(samples) {
      if (samples.length === 0) return new Float32Array(0);
      const bytes = Buffer.from(Float32Array.from(samples).buffer);
      const frame = Frame.fromAudioBuffer(bytes, {
        nbSamples: samples.length,
        format: AV_SAMPLE_FMT_FLT,
        sampleRate: sampleRateHz,
        channelLayout: monoLayout,
        pts: BigInt(sentSamples),
        timeBase: new Rational(1, sampleRateHz),
      });
      const addResult = source.buffersrcAddFrameSync(frame);
      frame.free();
      FFmpegError.throwIfError(addResult, "filter");
      sentSamples += samples.length;
      return drain();
    },
    finish() {
      source.buffersrcAddFrameSync(null);
      return drain();
    },
    metadata: () => metadata,
    close() {
      if (isClosed) return;
      isClosed = true;
      output.free();
      graph.free();
    },
  };
}

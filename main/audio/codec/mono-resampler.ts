// Converts decoded frames of any sample rate, sample format and channel count to mono float samples of one rate: the
// mean of all channels, or one of them. The format may change within a stream. Holds native memory until `close`.

import { AV_CHANNEL_ORDER_NATIVE, AV_SAMPLE_FMT_FLT, type AVSampleFormat } from "node-av/constants";
import { type ChannelLayout, Frame, SoftwareResampleContext } from "node-av/lib";
import { joinSamples } from "./pcm.ts";

export interface MonoResampler {
  /** Samples that are ready; undefined for a frame that cannot be converted. The caller still owns the frame. */
  convert(frame: Frame): Float32Array | undefined;
  /** The last samples, which the filter held back. */
  finish(): Float32Array;
  close(): void;
}

const monoLayout: ChannelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };
const noSamples = new Float32Array(0);

/** @param channel index of the only one that is wanted; a frame without it gives the mean of those it has */
export function createMonoResampler(sampleRateHz: number, channel?: number): MonoResampler {
  const output = new Frame();
  output.alloc();
  let context: SoftwareResampleContext | undefined;
  let inputFormat = "";

  /** Leaves `context` undefined if conversion is impossible, such as for 65,000 channels in a damaged header. */
  function configure(frame: Frame, layout: ChannelLayout): void {
    context?.free();
    context = undefined;
    const { nbChannels } = layout;
    const next = new SoftwareResampleContext();
    if (
      next.allocSetOpts2(
        monoLayout,
        AV_SAMPLE_FMT_FLT,
        sampleRateHz,
        layout,
        frame.format as AVSampleFormat,
        frame.sampleRate,
      ) < 0
    )
      return;
    context = next;
    // Mean of all channels: FFmpeg's own downmix of float stereo adds 3 dB and can leave −1..1.
    if (nbChannels > 1)
      context.setMatrix(
        Array.from({ length: nbChannels }, (_, index) =>
          channel !== undefined && channel < nbChannels
            ? Number(index === channel)
            : 1 / nbChannels,
        ),
        nbChannels,
      );
    context.init();
  }

  function run(frame: Frame | null): Float32Array | undefined {
    output.unref();
    output.format = AV_SAMPLE_FMT_FLT;
    output.sampleRate = sampleRateHz;
    output.channelLayout = monoLayout;
    if (context === undefined || context.convertFrame(output, frame) < 0) return undefined;
    if (output.nbSamples === 0) return noSamples;
    const bytes = output.toBuffer();
    const samples = new Float32Array(output.nbSamples);
    new Uint8Array(samples.buffer).set(bytes.subarray(0, samples.byteLength));
    for (let i = 0; i < samples.length; i++) if (!Number.isFinite(samples[i])) samples[i] = 0;
    return samples;
  }

  return {
    convert(frame) {
      const nbChannels = frame.channels;
      // A mean does not depend on speaker positions, and not every file has them.
      const layout =
        nbChannels === 1
          ? monoLayout
          : { order: AV_CHANNEL_ORDER_NATIVE, nbChannels, mask: (1n << BigInt(nbChannels)) - 1n };
      const frameFormat = `${frame.sampleRate} ${frame.format} ${nbChannels}`;
      const remaining = inputFormat === frameFormat ? undefined : run(null);
      if (inputFormat !== frameFormat) configure(frame, layout);
      inputFormat = frameFormat;
      frame.channelLayout = layout;
      const samples = run(frame);
      return remaining === undefined || samples === undefined
        ? samples
        : joinSamples([remaining, samples]);
    },
    finish: () => run(null) ?? noSamples,
    close() {
      context?.free();
      context = undefined;
      output.free();
    },
  };
}

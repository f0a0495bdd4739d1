// Encodes mono samples with one of FFmpeg's encoders, in frames of the size that it expects. Uses node-av's synchronous
// calls, so it must run in a child process.

import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  type AVCodecFlag,
  type FFEncoderCodec,
} from "node-av/constants";
import {
  type ChannelLayout,
  Codec,
  CodecContext,
  FFmpegError,
  Frame,
  Log,
  Packet,
  Rational,
} from "node-av/lib";
import { clipSamples, floatToPcm, joinSamples } from "./pcm.ts";

export type SampleEncoderOptions = {
  name: keyof typeof sampleFormats;
  sampleRateHz: number;
  /** In bits per second; undefined for lossless formats. */
  bitRate?: number | undefined;
  flags: AVCodecFlag;
  options?: Readonly<Record<string, string>> | undefined;
};

/** `onPacket` is called for each packet that is complete; the packet is overwritten by the next one. */
type SampleEncoder = {
  readonly context: CodecContext;
  /** Encodes complete frames; the remaining samples wait for the next call. */
  encode(samples: Float32Array, onPacket: (packet: Packet) => void): void;
  /** Encodes the remaining samples. No samples may follow. */
  finish(onPacket: (packet: Packet) => void): void;
  close(): void;
};

/** Sample format that each encoder expects. */
const sampleFormats = {
  flac: AV_SAMPLE_FMT_S16,
  pcm_s16le: AV_SAMPLE_FMT_S16,
  libmp3lame: AV_SAMPLE_FMT_FLTP,
  aac: AV_SAMPLE_FMT_FLTP,
  libopus: AV_SAMPLE_FMT_FLT,
} as const;

const monoLayout: ChannelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };
/** For encoders that accept any frame size. */
const defaultFrameSize = 4096;

/** @throws Error if FFmpeg cannot open the encoder */
export function openSampleEncoder(options: SampleEncoderOptions): SampleEncoder {
  // FFmpeg logs to stderr, including file names.
  Log.setLevel(AV_LOG_QUIET);
  const { name, sampleRateHz } = options;
  const context = openCodec(options);
  const packet = new Packet();
  packet.alloc();
  const frameSize = context.frameSize || defaultFrameSize;
  let pendingSamples = new Float32Array(0);
  let sentSamples = 0;
  let isClosed = false;

  function drain(onPacket: (packet: Packet) => void): void {
    while (context.receivePacketSync(packet) >= 0) {
      onPacket(packet);
      packet.unref();
    }
  }

  function send(samples: Float32Array, onPacket: (packet: Packet) => void): void {
    const format = sampleFormats[name];
    const bytes =
      format === AV_SAMPLE_FMT_S16
        ? floatToPcm(samples)
        : new Uint8Array(clipSamples(samples).buffer);
    const frame = Frame.fromAudioBuffer(Buffer.from(bytes.buffer), {
      nbSamples: samples.length,
      format,
      sampleRate: sampleRateHz,
      channelLayout: monoLayout,
      pts: BigInt(sentSamples),
      timeBase: new Rational(1, sampleRateHz),
    });
    const sendResult = context.sendFrameSync(frame);
    frame.free();
    FFmpegError.throwIfError(sendResult, `${name} encoder`);
    sentSamples += samples.length;
    drain(onPacket);
  }

  return {
    context,
    encode(samples, onPacket) {
      pendingSamples = joinSamples([pendingSamples, samples]);
      const completeLength = pendingSamples.length - (pendingSamples.length % frameSize);
      for (let at = 0; at < completeLength; at += frameSize)
        send(pendingSamples.subarray(at, at + frameSize), onPacket);
      pendingSamples = pendingSamples.slice(completeLength);
    },
    finish(onPacket) {
      if (pendingSamples.length > 0) send(pendingSamples, onPacket);
      pendingSamples = new Float32Array(0);
      context.sendFrameSync(null);
      drain(onPacket);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      packet.free();
      context.freeContext();
    },
  };
}

function openCodec({
  name,
  sampleRateHz,
  bitRate,
  flags,
  options = {},
}: SampleEncoderOptions): CodecContext {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`This build of FFmpeg has no ${name} encoder.`);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = sampleRateHz;
  context.sampleFormat = sampleFormats[name];
  context.channelLayout = monoLayout;
  context.timeBase = new Rational(1, sampleRateHz);
  if (bitRate !== undefined) context.bitRate = BigInt(bitRate);
  context.threadCount = 1;
  context.setFlags(flags);
  // Not as a dictionary for open2Sync: node-av 6.1 frees it twice, which crashes the process on exit.
  for (const [option, value] of Object.entries(options))
    context.setOption(option, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN);
  const openResult = context.open2Sync(codec);
  if (openResult < 0) {
    context.freeContext();
    FFmpegError.throwIfError(openResult, `${name} encoder`);
  }
  return context;
}

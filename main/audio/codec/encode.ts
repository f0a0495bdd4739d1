// Encodes mono samples as they come into one of the formats the speech endpoint offers. FFmpeg encodes, through
// node-av's synchronous calls, so this belongs in a child process; framing.ts puts the bytes around it.
// The same samples give the same bytes however they are divided into calls, so that a crashed encoder can be
// replaced midway by one that is fed from the start.

import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_CODEC_FLAG_BITEXACT,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
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
import type { AudioFormat } from "../../contract/speech.ts";
import {
  adtsFrame,
  createOggPager,
  flacHeader,
  joinBytes,
  opusTags,
  wavHeader,
} from "./framing.ts";
import { joinSamples } from "./pcm.ts";
import { clipSamples, floatToPcm } from "./pcm.ts";

export interface Encoder {
  /** Takes mono samples in −1..1 (louder ones are clipped); returns the bytes that became ready, often none. */
  encode(samples: Float32Array): Uint8Array;
  /** The rest of the file. Nothing may be encoded after it. */
  finish(): Uint8Array;
  close(): void;
}

export type EncoderOptions = {
  format: AudioFormat;
  quality: "standard" | "high";
  sampleRateHz: number;
  /** When it is known before the first sample, headers tell the true length; exactly so many samples must follow. */
  totalSamples?: number;
};

/**
 * Bits per second for mono speech at 24 kHz: where each codec stops being heard as one, and twice that. MP3 at this
 * rate (MPEG-2 layer III) ends at 160 kbit/s. WAV, PCM and FLAC lose nothing and so have one quality.
 */
const bitRates = {
  mp3: { standard: 64_000, high: 128_000 },
  opus: { standard: 32_000, high: 64_000 },
  aac: { standard: 64_000, high: 128_000 },
} as const;

/** Opens an encoder. The bytes of all its calls, one after the other, are one valid file. */
export function openEncoder(options: EncoderOptions): Encoder {
  const encoder = openFormat(options);
  const { totalSamples } = options;
  let taken = 0;
  let isFinished = false;
  return {
    encode(samples) {
      if (isFinished) throw new Error("The encoder has finished its file.");
      taken += samples.length;
      return encoder.encode(samples);
    },
    finish() {
      if (totalSamples !== undefined && taken !== totalSamples)
        throw new Error(`The header promises ${totalSamples} samples, ${taken} were encoded.`);
      if (isFinished) return new Uint8Array(0);
      isFinished = true;
      return encoder.finish();
    },
    close: () => encoder.close(),
  };
}

function openFormat(options: EncoderOptions): Encoder {
  switch (options.format) {
    case "pcm":
      return openIntegers(new Uint8Array(0));
    case "wav":
      return openIntegers(wavHeader(options.sampleRateHz, options.totalSamples));
    case "flac":
      return openFlac(options);
    case "mp3":
      return openMp3(options);
    case "aac":
      return openAac(options);
    case "opus":
      return openOpus(options);
  }
}

/** Gives `header` before the first bytes, whichever call has them. */
function startingWith(header: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  let isGiven = false;
  return (bytes) => {
    if (isGiven) return bytes;
    isGiven = true;
    return joinBytes([header, bytes]);
  };
}

function openIntegers(header: Uint8Array): Encoder {
  const withHeader = startingWith(header);
  return {
    encode: (samples) => withHeader(floatToPcm(samples)),
    finish: () => withHeader(new Uint8Array(0)),
    close() {},
  };
}

function openFlac({ sampleRateHz, totalSamples }: EncoderOptions): Encoder {
  const codec = openCodec({ name: "flac", sampleRateHz });
  const withHeader = startingWith(flacHeader(codec.extraData, totalSamples));
  return {
    encode: (samples) => withHeader(joinBytes(codec.encode(samples))),
    finish: () => withHeader(joinBytes(codec.finish())),
    close: codec.close,
  };
}

/**
 * Bare frames: a Xing or ID3 header would tell of one file's length, and clients put the answers for the parts of a
 * long text one after the other.
 */
function openMp3({ sampleRateHz, quality }: EncoderOptions): Encoder {
  const codec = openCodec({ name: "libmp3lame", sampleRateHz, bitRate: bitRates.mp3[quality] });
  return {
    encode: (samples) => joinBytes(codec.encode(samples)),
    finish: () => joinBytes(codec.finish()),
    close: codec.close,
  };
}

function openAac({ sampleRateHz, quality }: EncoderOptions): Encoder {
  const codec = openCodec({ name: "aac", sampleRateHz, bitRate: bitRates.aac[quality] });
  const framed = (packets: Uint8Array[]) =>
    joinBytes(packets.map((packet) => adtsFrame(codec.extraData, packet)));
  return {
    encode: (samples) => framed(codec.encode(samples)),
    finish: () => framed(codec.finish()),
    close: codec.close,
  };
}

/** A page every fifth of a second lets playing start early and costs 4 % of the bytes. */
const opusPacketsPerPage = 10;
const opusPacketMs = 20;
/** Ogg Opus counts in 48 kHz whatever went in (RFC 7845, 4). */
const opusClockHz = 48_000;
/** Any number will do, as a file holds one stream; a fixed one keeps the bytes the same. */
const oggSerial = 1;

function openOpus({ sampleRateHz, quality }: EncoderOptions): Encoder {
  const codec = openCodec({
    name: "libopus",
    sampleRateHz,
    bitRate: bitRates.opus[quality],
    options: {
      application: quality === "high" ? "audio" : "voip",
      frame_duration: String(opusPacketMs),
    },
  });
  const page = createOggPager(oggSerial);
  const head = codec.extraData;
  const preSkip = (head[10] ?? 0) | ((head[11] ?? 0) << 8);
  const withHeader = startingWith(joinBytes([page([head], 0), page([opusTags("Hearsay")], 0)]));
  let taken = 0;
  let paged = 0;
  let waiting: Uint8Array[] = [];

  /** The last packets wait for `finish`, since the last page has to say that it is the last. */
  function pages(packets: Uint8Array[], isEnd: boolean): Uint8Array {
    waiting.push(...packets);
    const ready: Uint8Array[] = [];
    const count = isEnd
      ? Math.ceil(waiting.length / opusPacketsPerPage)
      : Math.floor((waiting.length - 1) / opusPacketsPerPage);
    for (let i = 1; i <= count; i++) {
      const packetsOfPage = waiting.splice(0, opusPacketsPerPage);
      paged += packetsOfPage.length;
      const decodedTo = paged * opusPacketMs * (opusClockHz / 1000);
      // The last position cuts off what fills the last packet.
      const soundTo = preSkip + Math.round((taken * opusClockHz) / sampleRateHz);
      const isLast = isEnd && i === count;
      ready.push(page(packetsOfPage, isLast ? Math.min(decodedTo, soundTo) : decodedTo, isLast));
    }
    return withHeader(joinBytes(ready));
  }

  return {
    encode(samples) {
      taken += samples.length;
      return pages(codec.encode(samples), false);
    },
    finish: () => pages(codec.finish(), true),
    close: codec.close,
  };
}

const monoLayout: ChannelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };

/** How each codec takes its samples. */
const sampleFormats = {
  flac: AV_SAMPLE_FMT_S16,
  libmp3lame: AV_SAMPLE_FMT_FLTP,
  aac: AV_SAMPLE_FMT_FLTP,
  libopus: AV_SAMPLE_FMT_FLT,
} as const;

type CodecOptions = {
  name: keyof typeof sampleFormats;
  sampleRateHz: number;
  bitRate?: number;
  options?: Record<string, string>;
};

/** An FFmpeg encoder that takes any number of samples and gives whole packets. */
function openCodec({ name, sampleRateHz, bitRate, options = {} }: CodecOptions) {
  Log.setLevel(AV_LOG_QUIET);
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`This build of FFmpeg has no ${name} encoder.`);
  const format = sampleFormats[name];
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = sampleRateHz;
  context.sampleFormat = format;
  context.channelLayout = monoLayout;
  const timeBase = new Rational(1, sampleRateHz);
  context.timeBase = timeBase;
  if (bitRate !== undefined) context.bitRate = BigInt(bitRate);
  context.threadCount = 1;
  // Without it AAC files carry FFmpeg's version.
  context.setFlags(AV_CODEC_FLAG_BITEXACT);
  // Not as a dictionary to open2Sync: node-av 6.1 frees it twice, and the process crashes when it ends.
  for (const [option, value] of Object.entries(options))
    context.setOption(option, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN);
  const opened = context.open2Sync(codec);
  if (opened < 0) {
    context.freeContext();
    FFmpegError.throwIfError(opened, `${name} encoder`);
  }

  const packet = new Packet();
  packet.alloc();
  const { frameSize } = context;
  let waiting = new Float32Array(0);
  let sent = 0;
  let isClosed = false;

  function drain(packets: Uint8Array[]): void {
    while (context.receivePacketSync(packet) >= 0) {
      // An empty packet only carries FLAC's checksum for the header, which has been sent by then.
      if (packet.data !== null && packet.size > 0) packets.push(Uint8Array.from(packet.data));
      packet.unref();
    }
  }

  function send(samples: Float32Array, packets: Uint8Array[]): void {
    const bytes =
      format === AV_SAMPLE_FMT_S16
        ? floatToPcm(samples)
        : new Uint8Array(clipSamples(samples).buffer);
    const frame = Frame.fromAudioBuffer(Buffer.from(bytes.buffer), {
      nbSamples: samples.length,
      format,
      sampleRate: sampleRateHz,
      channelLayout: monoLayout,
      pts: BigInt(sent),
      timeBase,
    });
    const accepted = context.sendFrameSync(frame);
    frame.free();
    FFmpegError.throwIfError(accepted, `${name} encoder`);
    sent += samples.length;
    drain(packets);
  }

  return {
    extraData: Uint8Array.from(context.extraData ?? []),
    encode(samples: Float32Array): Uint8Array[] {
      const packets: Uint8Array[] = [];
      waiting = joinSamples([waiting, samples]);
      const whole = waiting.length - (waiting.length % frameSize);
      for (let at = 0; at < whole; at += frameSize)
        send(waiting.subarray(at, at + frameSize), packets);
      waiting = waiting.slice(whole);
      return packets;
    },
    finish(): Uint8Array[] {
      const packets: Uint8Array[] = [];
      if (waiting.length > 0) send(waiting, packets);
      waiting = new Float32Array(0);
      context.sendFrameSync(null);
      drain(packets);
      return packets;
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      packet.free();
      context.freeContext();
    },
  };
}

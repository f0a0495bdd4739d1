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
  let takenSamples = 0;
  let isFinished = false;
  return {
    encode(samples) {
      if (isFinished) throw new Error("The encoder has finished its file.");
      takenSamples += samples.length;
      return encoder.encode(samples);
    },
    finish() {
      if (totalSamples !== undefined && takenSamples !== totalSamples)
        throw new Error(
          `The header promises ${totalSamples} samples, ${takenSamples} were encoded.`,
        );
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
      return openPcm(new Uint8Array(0));
    case "wav":
      return openPcm(wavHeader(options.sampleRateHz, options.totalSamples));
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
function createHeaderPrepender(header: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  let isHeaderSent = false;
  return (bytes) => {
    if (isHeaderSent) return bytes;
    isHeaderSent = true;
    return joinBytes([header, bytes]);
  };
}

function openPcm(header: Uint8Array): Encoder {
  const prependHeader = createHeaderPrepender(header);
  return {
    encode: (samples) => prependHeader(floatToPcm(samples)),
    finish: () => prependHeader(new Uint8Array(0)),
    close() {},
  };
}

function openFlac({ sampleRateHz, totalSamples }: EncoderOptions): Encoder {
  const codec = openCodec({ name: "flac", sampleRateHz });
  const prependHeader = createHeaderPrepender(flacHeader(codec.extraData, totalSamples));
  return {
    encode: (samples) => prependHeader(joinBytes(codec.encode(samples))),
    finish: () => prependHeader(joinBytes(codec.finish())),
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
  const toAdts = (packets: Uint8Array[]) =>
    joinBytes(packets.map((packet) => adtsFrame(codec.extraData, packet)));
  return {
    encode: (samples) => toAdts(codec.encode(samples)),
    finish: () => toAdts(codec.finish()),
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
  const opusHead = codec.extraData;
  const preSkip = (opusHead[10] ?? 0) | ((opusHead[11] ?? 0) << 8);
  const prependHeader = createHeaderPrepender(
    joinBytes([page([opusHead], 0), page([opusTags("Hearsay")], 0)]),
  );
  let takenSamples = 0;
  let pagedPackets = 0;
  let pendingPackets: Uint8Array[] = [];

  /** The last packets wait for `finish`, since the last page has to say that it is the last. */
  function takePages(packets: Uint8Array[], isEnd: boolean): Uint8Array {
    pendingPackets.push(...packets);
    const pagesReady: Uint8Array[] = [];
    const count = isEnd
      ? Math.ceil(pendingPackets.length / opusPacketsPerPage)
      : Math.floor((pendingPackets.length - 1) / opusPacketsPerPage);
    for (let i = 1; i <= count; i++) {
      const packetsOfPage = pendingPackets.splice(0, opusPacketsPerPage);
      pagedPackets += packetsOfPage.length;
      const decodedPosition = pagedPackets * opusPacketMs * (opusClockHz / 1000);
      // The last position cuts off what fills the last packet.
      const audioEndPosition = preSkip + Math.round((takenSamples * opusClockHz) / sampleRateHz);
      const isLast = isEnd && i === count;
      pagesReady.push(
        page(
          packetsOfPage,
          isLast ? Math.min(decodedPosition, audioEndPosition) : decodedPosition,
          isLast,
        ),
      );
    }
    return prependHeader(joinBytes(pagesReady));
  }

  return {
    encode(samples) {
      takenSamples += samples.length;
      return takePages(codec.encode(samples), false);
    },
    finish: () => takePages(codec.finish(), true),
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
  const openResult = context.open2Sync(codec);
  if (openResult < 0) {
    context.freeContext();
    FFmpegError.throwIfError(openResult, `${name} encoder`);
  }

  const packet = new Packet();
  packet.alloc();
  const { frameSize } = context;
  let pendingSamples = new Float32Array(0);
  let sentSamples = 0;
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
      pts: BigInt(sentSamples),
      timeBase,
    });
    const sendResult = context.sendFrameSync(frame);
    frame.free();
    FFmpegError.throwIfError(sendResult, `${name} encoder`);
    sentSamples += samples.length;
    drain(packets);
  }

  return {
    extraData: Uint8Array.from(context.extraData ?? []),
    encode(samples: Float32Array): Uint8Array[] {
      const packets: Uint8Array[] = [];
      pendingSamples = joinSamples([pendingSamples, samples]);
      const completeLength = pendingSamples.length - (pendingSamples.length % frameSize);
      for (let at = 0; at < completeLength; at += frameSize)
        send(pendingSamples.subarray(at, at + frameSize), packets);
      pendingSamples = pendingSamples.slice(completeLength);
      return packets;
    },
    finish(): Uint8Array[] {
      const packets: Uint8Array[] = [];
      if (pendingSamples.length > 0) send(pendingSamples, packets);
      pendingSamples = new Float32Array(0);
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

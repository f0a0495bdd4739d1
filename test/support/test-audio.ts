// Audio and media files for tests, generated on demand: tones, noise, and files of every container and some more.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AVFMT_GLOBALHEADER,
  type AVSampleFormat,
  type FFEncoderCodec,
} from "node-av/constants";
import {
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  Frame,
  Log,
  Packet,
  Rational,
  type Stream,
} from "node-av/lib";
import type { Container } from "../../main/audio/codec/formats.ts";
import { clipSamples, floatToPcm } from "../../main/audio/codec/pcm.ts";

const generateSamples = (durationSec: number, sampleRateHz: number, at: (sec: number) => number) =>
  Float32Array.from({ length: Math.round(durationSec * sampleRateHz) }, (_, i) =>
    at(i / sampleRateHz),
  );

export const tone = (
  frequencyHz: number,
  durationSec: number,
  sampleRateHz: number,
  amplitude = 0.5,
): Float32Array =>
  generateSamples(
    durationSec,
    sampleRateHz,
    (sec) => amplitude * Math.sin(2 * Math.PI * frequencyHz * sec),
  );

export const silence = (durationSec: number, sampleRateHz: number): Float32Array =>
  new Float32Array(Math.round(durationSec * sampleRateHz));

/** Mains hum of bad wiring: 50 Hz and its harmonics. */
export const hum = (durationSec: number, sampleRateHz: number, amplitude = 0.1): Float32Array =>
  generateSamples(
    durationSec,
    sampleRateHz,
    (sec) =>
      amplitude *
      [1, 2, 3, 4].reduce((sum, n) => sum + Math.sin(2 * Math.PI * 50 * n * sec) / (2 * n), 0),
  );

/** White noise, the same at every call (mulberry32). */
export function noise(
  durationSec: number,
  sampleRateHz: number,
  amplitude = 0.1,
  seed = 1,
): Float32Array {
  let state = seed;
  return generateSamples(durationSec, sampleRateHz, () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return amplitude * (((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1);
  });
}

/** Frequency of a tone, from the time between its first and last upward zero crossings. */
export function measureFrequencyHz(samples: Float32Array, sampleRateHz: number): number {
  const crossings: number[] = [];
  for (let i = 1; i < samples.length; i++) {
    const before = samples[i - 1]!;
    const after = samples[i]!;
    if (before < 0 && after >= 0) crossings.push(i - 1 + before / (before - after));
  }
  return ((crossings.length - 1) * sampleRateHz) / (crossings.at(-1)! - crossings[0]!);
}

export const rootMeanSquare = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

export type WavOptions = {
  sampleType?: "u8" | "s16" | "s24" | "s32" | "f32";
  /** Uses sizes of 0xFFFFFFFF, as streaming recorders do. */
  unknownSizes?: boolean;
};

/** A RIFF WAVE file; one array of samples per channel. */
export function wavFile(
  channels: readonly Float32Array[],
  sampleRateHz: number,
  { sampleType = "s16", unknownSizes = false }: WavOptions = {},
): Uint8Array {
  const bits = { u8: 8, s16: 16, s24: 24, s32: 32, f32: 32 }[sampleType];
  const blockBytes = (channels.length * bits) / 8;
  const dataBytes = (channels[0]?.length ?? 0) * blockBytes;
  const file = Buffer.alloc(44 + dataBytes);
  file.write("RIFF", 0);
  file.writeUInt32LE(unknownSizes ? 0xffffffff : 36 + dataBytes, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(sampleType === "f32" ? 3 : 1, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(sampleRateHz * blockBytes, 28);
  file.writeUInt16LE(blockBytes, 32);
  file.writeUInt16LE(bits, 34);
  file.write("data", 36);
  file.writeUInt32LE(unknownSizes ? 0xffffffff : dataBytes, 40);
  const write = {
    u8: (value: number, at: number) => file.writeUInt8(Math.round(value * 127) + 128, at),
    s16: (value: number, at: number) => file.writeInt16LE(Math.round(value * 32767), at),
    s24: (value: number, at: number) => file.writeIntLE(Math.round(value * 8388607), at, 3),
    s32: (value: number, at: number) => file.writeInt32LE(Math.round(value * 2147483647), at),
    f32: (value: number, at: number) => file.writeFloatLE(value, at),
  }[sampleType];
  channels.forEach((samples, channel) =>
    samples.forEach((sample, i) => write(sample, 44 + i * blockBytes + (channel * bits) / 8)),
  );
  return file;
}

type AudioCodec =
  | "libmp3lame"
  | "mp2"
  | "aac"
  | "libopus"
  | "libvorbis"
  | "flac"
  | "pcm_s16le"
  | "pcm_s16be"
  | "alac";

export type MediaOptions = {
  /** FFmpeg's name of the muxer. */
  muxer: string;
  audio?: {
    codec: AudioCodec;
    samples: Float32Array;
    sampleRateHz: number;
    bitRate?: number;
    /** Timestamp of the first sample. */
    startSec?: number;
    /** A jump in the timestamps, as after a pause of a recorder. */
    pause?: {
      atSec: number;
      durationSec: number;
    };
  };
  video?: { codec: "mpeg4" | "mpeg1video" | "libvpx"; durationSec: number };
  options?: Record<string, string>;
};

const containerSettings: Record<Container, { muxer: string; codec: AudioCodec }> = {
  mp3: { muxer: "mp3", codec: "libmp3lame" },
  mp4: { muxer: "mp4", codec: "aac" },
  mpeg: { muxer: "mpeg", codec: "mp2" },
  mpga: { muxer: "mp2", codec: "mp2" },
  m4a: { muxer: "ipod", codec: "aac" },
  wav: { muxer: "wav", codec: "pcm_s16le" },
  webm: { muxer: "webm", codec: "libopus" },
  ogg: { muxer: "ogg", codec: "libvorbis" },
  opus: { muxer: "opus", codec: "libopus" },
  flac: { muxer: "flac", codec: "flac" },
};

/** A file of the container with its usual codec. All of them support the rates 16000, 24000 and 48000. */
export function encodeAudio(
  samples: Float32Array,
  sampleRateHz: number,
  container: Container,
): Uint8Array {
  const { muxer, codec } = containerSettings[container];
  return encodeMedia({ muxer, audio: { codec, samples, sampleRateHz } });
}

/** A video of changing grey pictures, with or without audio. */
export function videoFile(
  durationSec: number,
  audio?: { samples: Float32Array; sampleRateHz: number },
): Uint8Array {
  return encodeMedia({
    muxer: "mp4",
    video: { codec: "mpeg4", durationSec },
    ...(audio && { audio: { codec: "aac", ...audio } }),
  });
}

/** Any combination that FFmpeg can write, by way of a temporary file. */
export function encodeMedia({ muxer, audio, video, options = {} }: MediaOptions): Uint8Array {
  Log.setLevel(AV_LOG_QUIET);
  const folder = mkdtempSync(join(tmpdir(), "sounds-"));
  const path = join(folder, "media");
  const output = new FormatContext();
  try {
    check(output.allocOutputContext2(null, muxer, path));
    const tracks = [
      ...(video ? [videoTrack(output, video)] : []),
      ...(audio ? [audioTrack(output, audio)] : []),
    ];
    check(output.openOutputSync());
    for (const [name, value] of Object.entries(options))
      check(output.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN));
    check(output.writeHeaderSync());
    for (const writeTrack of tracks) writeTrack();
    check(output.writeTrailerSync());
    output.closeOutputSync();
    return readFileSync(path);
  } finally {
    output.freeContext();
    rmSync(folder, { recursive: true });
  }
}

function check(code: number): void {
  FFmpegError.throwIfError(code, "making a test file");
}

const sampleFormats: Record<AudioCodec, AVSampleFormat> = {
  libmp3lame: AV_SAMPLE_FMT_FLTP,
  aac: AV_SAMPLE_FMT_FLTP,
  libvorbis: AV_SAMPLE_FMT_FLTP,
  libopus: AV_SAMPLE_FMT_FLT,
  mp2: AV_SAMPLE_FMT_S16,
  flac: AV_SAMPLE_FMT_S16,
  pcm_s16le: AV_SAMPLE_FMT_S16,
  pcm_s16be: AV_SAMPLE_FMT_S16,
  alac: AV_SAMPLE_FMT_S16P,
};

function audioTrack(
  output: FormatContext,
  {
    codec: name,
    samples,
    sampleRateHz,
    bitRate = 64_000,
    startSec = 0,
    pause,
  }: NonNullable<MediaOptions["audio"]>,
): () => void {
  const format = sampleFormats[name];
  const channelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };
  const timeBase = new Rational(1, sampleRateHz);
  const { context, stream } = openTrack(output, name, (codec) => {
    codec.sampleRate = sampleRateHz;
    codec.sampleFormat = format;
    codec.channelLayout = channelLayout;
    codec.bitRate = BigInt(bitRate);
    codec.timeBase = timeBase;
  });
  return () => {
    const step = context.frameSize || 1024;
    for (let at = 0; at < samples.length; at += step) {
      const part = samples.subarray(at, at + step);
      // Raw codecs accept any length, the others only their frame size, except in the last frame.
      const padded = new Float32Array(name === "mp2" ? step : part.length);
      padded.set(part);
      const bytes =
        format === AV_SAMPLE_FMT_FLT || format === AV_SAMPLE_FMT_FLTP
          ? new Uint8Array(clipSamples(padded).buffer)
          : floatToPcm(padded);
      const frame = Frame.fromAudioBuffer(Buffer.from(bytes), {
        nbSamples: padded.length,
        format,
        sampleRate: sampleRateHz,
        channelLayout,
        pts: BigInt(at + Math.round(startSec * sampleRateHz)),
        timeBase,
      });
      send(output, context, stream, frame, pause);
      frame.free();
    }
    send(output, context, stream, null, pause);
    context.freeContext();
  };
}

const framesPerSec = 10;
const widthPixels = 64;
const heightPixels = 48;

function videoTrack(
  output: FormatContext,
  { codec: name, durationSec }: NonNullable<MediaOptions["video"]>,
): () => void {
  // MPEG-1 supports only a few frame rates.
  const ratePerSec = name === "mpeg1video" ? 25 : framesPerSec;
  const { context, stream } = openTrack(output, name, (codec) => {
    codec.width = widthPixels;
    codec.height = heightPixels;
    codec.pixelFormat = AV_PIX_FMT_YUV420P;
    codec.timeBase = new Rational(1, ratePerSec);
    codec.framerate = new Rational(ratePerSec, 1);
    codec.bitRate = 100_000n;
  });
  return () => {
    for (let i = 0; i < durationSec * ratePerSec; i++) {
      const picture = Buffer.alloc((widthPixels * heightPixels * 3) / 2, 64 + (i % 128));
      const frame = Frame.fromVideoBuffer(picture, {
        width: widthPixels,
        height: heightPixels,
        format: AV_PIX_FMT_YUV420P,
        pts: BigInt(i),
        timeBase: new Rational(1, ratePerSec),
      });
      send(output, context, stream, frame);
      frame.free();
    }
    send(output, context, stream, null);
    context.freeContext();
  };
}

function openTrack(
  output: FormatContext,
  name: string,
  setUp: (context: CodecContext) => void,
): { context: CodecContext; stream: Stream } {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`No encoder ${name}.`);
  const context = new CodecContext();
  context.allocContext3(codec);
  setUp(context);
  if (output.oformat?.hasFlags(AVFMT_GLOBALHEADER)) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  check(context.open2Sync(codec));
  const stream = output.newStream(null);
  check(context.parametersFromContext(stream.codecpar));
  stream.timeBase = context.timeBase;
  return { context, stream };
}

function send(
  output: FormatContext,
  context: CodecContext,
  stream: Stream,
  frame: Frame | null,
  pause?: { atSec: number; durationSec: number },
): void {
  check(context.sendFrameSync(frame));
  const packet = new Packet();
  packet.alloc();
  while (context.receivePacketSync(packet) >= 0) {
    packet.streamIndex = stream.index;
    const ticksPerSec = context.timeBase.den / context.timeBase.num;
    if (pause !== undefined && Number(packet.pts) >= pause.atSec * ticksPerSec) {
      packet.pts += BigInt(pause.durationSec * ticksPerSec);
      packet.dts = packet.pts;
    }
    packet.rescaleTs(context.timeBase, stream.timeBase);
    check(output.interleavedWriteFrameSync(packet));
  }
  packet.free();
}

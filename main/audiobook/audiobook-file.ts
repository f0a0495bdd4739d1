// Encodes mono samples into one audiobook file with title, author, cover and chapters. Unlike encode.ts, which streams,
// it writes to a file with FFmpeg's muxers, which update the header at the end. Synchronous: for child processes.

import { closeSync, fstatSync, readSync } from "node:fs";
import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_PNG,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PKT_FLAG_KEY,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type FFEncoderCodec,
} from "node-av/constants";
import {
  type ChannelLayout,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Frame,
  Log,
  Packet,
  Rational,
  type Stream,
} from "node-av/lib";
import { ftruncateSync, openForWritingSync, writeSync } from "../storage/disk.ts";
import { encodeChapterFrames, findPaddingOffset, tagSizeBytes } from "./id3-chapters.ts";
import {
  parseBoxes,
  type Chapter,
  textSampleDescription,
  encodeTitleSample,
  addChapters,
} from "./mp4-chapters.ts";
import { clipSamples, floatToPcm, joinSamples } from "../audio/codec/pcm.ts";
import { parseImageHeader } from "../audio/codec/image-header.ts";

export type AudiobookFormat = "mp3" | "m4b" | "opus" | "flac" | "wav";

export type AudiobookFileOptions = {
  /** An existing file is overwritten. */
  path: string;
  format: AudiobookFormat;
  sampleRateHz: number;
  title?: string;
  author?: string;
  /** The audiobook that a chapter belongs to. */
  album?: string;
  track?: number;
  /** JPEG or PNG; ignored by formats without images. */
  cover?: Uint8Array;
  /** Only in m4b and mp3: contiguous, starting at 0. */
  chapters?: readonly Chapter[];
};

export interface AudiobookFile {
  /** Mono samples in −1..1. */
  write(samples: Float32Array): void;
  /** The file is complete afterwards. */
  finish(): void;
  /** Frees all resources; before `finish` it leaves an incomplete file. */
  close(): void;
}

/**
 * Muxer, encoder, its sample format, and for lossy formats the bit rate in bits per second: a third above the lowest of
 * encode.ts.
 */
const formatSettings = {
  mp3: { muxer: "mp3", encoder: "libmp3lame", sampleFormat: AV_SAMPLE_FMT_FLTP, bitRate: 96_000 },
  m4b: { muxer: "ipod", encoder: "aac", sampleFormat: AV_SAMPLE_FMT_FLTP, bitRate: 80_000 },
  opus: { muxer: "ogg", encoder: "libopus", sampleFormat: AV_SAMPLE_FMT_FLT, bitRate: 48_000 },
  flac: { muxer: "flac", encoder: "flac", sampleFormat: AV_SAMPLE_FMT_S16, bitRate: undefined },
  wav: { muxer: "wav", encoder: "pcm_s16le", sampleFormat: AV_SAMPLE_FMT_S16, bitRate: undefined },
} as const;

const monoLayout: ChannelLayout = { order: AV_CHANNEL_ORDER_NATIVE, nbChannels: 1, mask: 4n };
/** For encoders that accept any frame size. */
const defaultFrameSize = 4096;
const milliseconds = { num: 1, den: 1000 };

/** @throws Error if the file cannot be written */
export function openAudiobookFile(options: AudiobookFileOptions): AudiobookFile {
  Log.setLevel(AV_LOG_QUIET);
  const { path, sampleRateHz } = options;
  const { muxer, encoder, sampleFormat, bitRate } = formatSettings[options.format];
  const chapters = options.format === "m4b" ? (options.chapters ?? []) : [];
  const id3Frames =
    options.format === "mp3" && options.chapters !== undefined && options.chapters.length > 0
      ? encodeChapterFrames(options.chapters)
      : undefined;
  const output = new FormatContext();
  const context = new CodecContext();
  const packet = new Packet();
  packet.alloc();
  let isOpen = false;
  let isClosed = false;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    packet.free();
    context.freeContext();
    if (isOpen) output.closeOutputSync();
    output.freeContext();
  }

  function openCodec(): void {
    const codec = Codec.findEncoderByName(encoder as FFEncoderCodec);
    if (codec === null) throw new Error(`This build of FFmpeg has no ${encoder} encoder.`);
    context.allocContext3(codec);
    context.sampleRate = sampleRateHz;
    context.sampleFormat = sampleFormat;
    context.channelLayout = monoLayout;
    context.timeBase = new Rational(1, sampleRateHz);
    if (bitRate !== undefined) context.bitRate = BigInt(bitRate);
    context.threadCount = 1;
    context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    // For speech it keeps more than the default search (30 dB versus 27 dB at 80 kbit/s) and is four times as fast.
    if (encoder === "aac")
      context.setOption("aac_coder", "fast", AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN);
    FFmpegError.throwIfError(context.open2Sync(codec), encoder);
  }

  function addAudioStream(): Stream {
    const stream = output.newStream();
    FFmpegError.throwIfError(stream.codecpar.fromContext(context), encoder);
    stream.timeBase = new Rational(1, sampleRateHz);
    return stream;
  }

  function addTitleStream(): Stream {
    const stream = output.newStream();
    stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
    stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT;
    stream.codecpar.codecTag = "text";
    stream.codecpar.extradata = Buffer.from(textSampleDescription);
    stream.timeBase = new Rational(milliseconds.num, milliseconds.den);
    return stream;
  }

  function addCoverStream(coverImage: {
    type: "jpeg" | "png";
    width: number;
    height: number;
  }): Stream {
    const stream = output.newStream();
    stream.codecpar.codecType = AVMEDIA_TYPE_VIDEO;
    stream.codecpar.codecId = coverImage.type === "png" ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG;
    stream.codecpar.width = coverImage.width;
    stream.codecpar.height = coverImage.height;
    stream.disposition = AV_DISPOSITION_ATTACHED_PIC;
    stream.timeBase = new Rational(1, 90_000);
    return stream;
  }

  /** Writes one packet that is not audio. */
  function writePacket(stream: Stream, bytes: Uint8Array, startMs = 0, durationMs = 0): void {
    const dataPacket = new Packet();
    dataPacket.alloc();
    dataPacket.data = Buffer.from(bytes);
    dataPacket.streamIndex = stream.index;
    dataPacket.pts = dataPacket.dts = BigInt(startMs);
    dataPacket.duration = BigInt(durationMs);
    dataPacket.setFlags(AV_PKT_FLAG_KEY);
    dataPacket.rescaleTs(milliseconds, stream.timeBase);
    const result = output.writeFrameSync(dataPacket);
    dataPacket.free();
    FFmpegError.throwIfError(result, muxer);
  }

  try {
    openCodec();
    FFmpegError.throwIfError(output.allocOutputContext2(null, muxer, `file:${path}`), muxer);
    // Reserves space in the tag at the start of the file; it may be slightly too large.
    if (id3Frames !== undefined)
      output.setOption(
        "metadata_header_padding",
        String(id3Frames.length + 10),
        AV_OPT_TYPE_STRING,
      );
    const audioStream = addAudioStream();
    const titleStream = chapters.length > 0 ? addTitleStream() : undefined;
    const coverImage =
      options.cover === undefined || muxer === "ogg" || muxer === "wav"
        ? undefined
        : parseImageHeader(options.cover);
    const coverStream = coverImage === undefined ? undefined : addCoverStream(coverImage);
    output.metadata = Dictionary.fromObject(metadataTags(options));
    FFmpegError.throwIfError(output.openOutputSync(), muxer);
    isOpen = true;
    FFmpegError.throwIfError(output.writeHeaderSync(), muxer);
    if (coverStream !== undefined && options.cover !== undefined)
      writePacket(coverStream, options.cover);
    // Before any audio: otherwise the muxer inserts an empty title.
    if (titleStream !== undefined)
      for (const { title, startSec, endSec } of chapters)
        writePacket(
          titleStream,
          encodeTitleSample(title),
          Math.round(startSec * 1000),
          Math.max(1, Math.round(endSec * 1000) - Math.round(startSec * 1000)),
        );

    const frameSize = context.frameSize || defaultFrameSize;
    let pendingSamples = new Float32Array(0);
    let sentSamples = 0;

    const drain = (): void => {
      while (context.receivePacketSync(packet) >= 0) {
        packet.streamIndex = audioStream.index;
        packet.rescaleTs({ num: 1, den: sampleRateHz }, audioStream.timeBase);
        FFmpegError.throwIfError(output.writeFrameSync(packet), muxer);
        packet.unref();
      }
    };
    const send = (samples: Float32Array): void => {
      const bytes =
        sampleFormat === AV_SAMPLE_FMT_S16
          ? floatToPcm(samples)
          : new Uint8Array(clipSamples(samples).buffer);
      const frame = Frame.fromAudioBuffer(Buffer.from(bytes.buffer), {
        nbSamples: samples.length,
        format: sampleFormat,
        sampleRate: sampleRateHz,
        channelLayout: monoLayout,
        pts: BigInt(sentSamples),
        timeBase: new Rational(1, sampleRateHz),
      });
      const sendResult = context.sendFrameSync(frame);
      frame.free();
      FFmpegError.throwIfError(sendResult, encoder);
      sentSamples += samples.length;
      drain();
    };

    return {
      write(samples) {
        pendingSamples = joinSamples([pendingSamples, samples]);
        const completeLength = pendingSamples.length - (pendingSamples.length % frameSize);
        for (let at = 0; at < completeLength; at += frameSize)
          send(pendingSamples.subarray(at, at + frameSize));
        pendingSamples = pendingSamples.slice(completeLength);
      },
      finish() {
        if (pendingSamples.length > 0) send(pendingSamples);
        pendingSamples = new Float32Array(0);
        context.sendFrameSync(null);
        drain();
        FFmpegError.throwIfError(output.writeTrailerSync(), muxer);
        close();
        if (titleStream !== undefined) writeMp4Chapters(path, chapters);
        if (id3Frames !== undefined) writeId3Frames(path, id3Frames);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function metadataTags({
  title,
  author,
  album,
  track,
  format,
}: AudiobookFileOptions): Record<string, string> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { artist: author, album_artist: author }),
    ...(album === undefined ? {} : { album }),
    ...(track === undefined ? {} : { track: String(track) }),
    genre: format === "m4b" ? "Audiobook" : "Speech",
  };
}

/** Writes into the reserved space. */
function writeId3Frames(path: string, id3Frames: Uint8Array): void {
  const file = openForWritingSync(path, "r+");
  try {
    const tagHeader = Buffer.alloc(10);
    readSync(file, tagHeader, 0, tagHeader.length, 0);
    const tag = Buffer.alloc(tagSizeBytes(tagHeader));
    readSync(file, tag, 0, tag.length, 0);
    writeSync(file, id3Frames, findPaddingOffset(tag, id3Frames.length));
  } finally {
    closeSync(file);
  }
}

/** The `moov` box is the last one of the file, so it may grow. */
function writeMp4Chapters(path: string, chapters: readonly Chapter[]): void {
  const file = openForWritingSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const header = Buffer.alloc(16);
    for (let at = 0; at < size;) {
      readSync(file, header, 0, 16, at);
      const size32 = header.readUInt32BE(0);
      const sizeBytes = size32 === 1 ? Number(header.readBigUInt64BE(8)) : size32;
      if (sizeBytes < 8) break;
      if (header.toString("latin1", 4, 8) === "moov") {
        const moov = Buffer.alloc(sizeBytes);
        readSync(file, moov, 0, sizeBytes, at);
        const trailing = Buffer.alloc(size - at - sizeBytes);
        readSync(file, trailing, 0, trailing.length, at + sizeBytes);
        // Only padding may follow, since no offset points to it.
        if (parseBoxes(trailing).some(({ type }) => type !== "free")) break;
        const updatedMoov = addChapters(moov, chapters);
        writeSync(file, updatedMoov, at);
        ftruncateSync(file, at + updatedMoov.length);
        return;
      }
      at += sizeBytes;
    }
    throw new Error("the MPEG-4 file ends otherwise than FFmpeg writes it");
  } finally {
    closeSync(file);
  }
}

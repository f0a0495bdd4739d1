// Encodes mono samples into one audiobook file with title, author, cover and chapters. Unlike encode.ts, which streams,
// it writes to a file with FFmpeg's muxers, which update the header at the end. Synchronous: for child processes.

import {
  AV_LOG_QUIET,
  AV_OPT_TYPE_STRING,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
} from "node-av/constants";
import {
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Log,
  Packet,
  type Stream,
} from "node-av/lib";
import { type ImageHeader, parseImageHeader } from "../audio/codec/image-header.ts";
import { createFrameEncoder, openCodec } from "./audiobook-encoder.ts";
import {
  addAudioStream,
  addCoverStream,
  addTitleStream,
  writePacket,
} from "./audiobook-streams.ts";
import { encodeChapterFrames } from "./id3-chapters.ts";
import { type Chapter, encodeTitleSample } from "./mp4-chapters.ts";
import { writeId3Frames, writeMp4Chapters } from "./write-chapters.ts";

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

/** @throws Error if the file cannot be written */
export function openAudiobookFile(options: AudiobookFileOptions): AudiobookFile {
  Log.setLevel(AV_LOG_QUIET);
  const { path, sampleRateHz } = options;
  const settings = formatSettings[options.format];
  const { muxer } = settings;
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

  try {
    openCodec(context, settings, sampleRateHz);
    FFmpegError.throwIfError(output.allocOutputContext2(null, muxer, `file:${path}`), muxer);
    // Reserves space in the tag at the start of the file; it may be slightly too large.
    if (id3Frames !== undefined)
      output.setOption(
        "metadata_header_padding",
        String(id3Frames.length + 10),
        AV_OPT_TYPE_STRING,
      );
    const audioStream = addAudioStream(output, context);
    const titleStream = chapters.length > 0 ? addTitleStream(output) : undefined;
    const cover = parseCover(options);
    const coverStream = cover === undefined ? undefined : addCoverStream(output, cover.header);
    output.metadata = Dictionary.fromObject(metadataTags(options));
    FFmpegError.throwIfError(output.openOutputSync(), muxer);
    isOpen = true;
    FFmpegError.throwIfError(output.writeHeaderSync(), muxer);
    if (cover !== undefined && coverStream !== undefined)
      writePacket(output, coverStream, cover.bytes);
    // Before any audio: otherwise the muxer inserts an empty title.
    if (titleStream !== undefined) writeTitles(output, titleStream, chapters);

    const { encode, finish } = createFrameEncoder(context, packet, settings, () => {
      packet.streamIndex = audioStream.index;
      packet.rescaleTs({ num: 1, den: sampleRateHz }, audioStream.timeBase);
      FFmpegError.throwIfError(output.writeFrameSync(packet), muxer);
    });
    return {
      write: encode,
      finish() {
        finish();
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

/** Undefined for formats without images, and for images that are damaged or of another type. */
function parseCover({
  cover,
  format,
}: AudiobookFileOptions): { bytes: Uint8Array; header: ImageHeader } | undefined {
  if (cover === undefined || format === "opus" || format === "wav") return undefined;
  const header = parseImageHeader(cover);
  return header === undefined ? undefined : { bytes: cover, header };
}

function writeTitles(
  output: FormatContext,
  titleStream: Stream,
  chapters: readonly Chapter[],
): void {
  for (const { title, startSec, endSec } of chapters)
    writePacket(
      output,
      titleStream,
      encodeTitleSample(title),
      Math.round(startSec * 1000),
      Math.max(1, Math.round(endSec * 1000) - Math.round(startSec * 1000)),
    );
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

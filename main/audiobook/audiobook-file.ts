// Encodes mono samples into one audiobook file with title, author, cover and chapters. Unlike encode.ts, which streams,
// it writes to a file with FFmpeg's muxers, which update the header at the end. Synchronous: for child processes.

import { AV_CODEC_FLAG_GLOBAL_HEADER, AV_OPT_TYPE_STRING } from "node-av/constants";
import { Dictionary, FFmpegError, FormatContext, type Packet, type Stream } from "node-av/lib";
import { type ImageHeader, parseImageHeader } from "../audio/codec/image-header.ts";
import { openSampleEncoder } from "../audio/codec/sample-encoder.ts";
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

/** Bit rates of lossy formats in bits per second: a third above the lowest of encode.ts. */
const formatSettings = {
  mp3: { muxer: "mp3", name: "libmp3lame", bitRate: 96_000, options: {} },
  // For speech the fast coder keeps more than the default one (30 dB versus 27 dB at 80 kbit/s), and is four times as
  // fast.
  m4b: { muxer: "ipod", name: "aac", bitRate: 80_000, options: { aac_coder: "fast" } },
  opus: { muxer: "ogg", name: "libopus", bitRate: 48_000, options: {} },
  flac: { muxer: "flac", name: "flac", bitRate: undefined, options: {} },
  wav: { muxer: "wav", name: "pcm_s16le", bitRate: undefined, options: {} },
} as const;

/** @throws Error if the file cannot be written */
export function openAudiobookFile(options: AudiobookFileOptions): AudiobookFile {
  const { path, sampleRateHz } = options;
  const { muxer, ...encoderSettings } = formatSettings[options.format];
  const chapters = options.format === "m4b" ? (options.chapters ?? []) : [];
  const id3Frames =
    options.format === "mp3" && options.chapters !== undefined && options.chapters.length > 0
      ? encodeChapterFrames(options.chapters)
      : undefined;
  const encoder = openSampleEncoder({
    ...encoderSettings,
    sampleRateHz,
    flags: AV_CODEC_FLAG_GLOBAL_HEADER,
  });
  const output = new FormatContext();
  let isOpen = false;
  let isClosed = false;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    encoder.close();
    if (isOpen) output.closeOutputSync();
    output.freeContext();
  }

  try {
    FFmpegError.throwIfError(output.allocOutputContext2(null, muxer, `file:${path}`), muxer);
    // Reserves space in the tag at the start of the file; it may be slightly too large.
    if (id3Frames !== undefined)
      output.setOption(
        "metadata_header_padding",
        String(id3Frames.length + 10),
        AV_OPT_TYPE_STRING,
      );
    const audioStream = addAudioStream(output, encoder.context);
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

    const writeAudio = (packet: Packet): void => {
      packet.streamIndex = audioStream.index;
      packet.rescaleTs({ num: 1, den: sampleRateHz }, audioStream.timeBase);
      FFmpegError.throwIfError(output.writeFrameSync(packet), muxer);
    };
    return {
      write: (samples) => encoder.encode(samples, writeAudio),
      finish() {
        encoder.finish(writeAudio);
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

// The streams of an audiobook file: audio, titles of chapters, cover.

import {
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_PNG,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_PKT_FLAG_KEY,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import {
  type CodecContext,
  FFmpegError,
  type FormatContext,
  Packet,
  Rational,
  type Stream,
} from "node-av/lib";
import type { ImageHeader } from "../audio/codec/image-header.ts";
import { textSampleDescription } from "./mp4-chapters.ts";

const milliseconds = { num: 1, den: 1000 };

export function addAudioStream(output: FormatContext, context: CodecContext): Stream {
  const stream = output.newStream();
  FFmpegError.throwIfError(stream.codecpar.fromContext(context), "the audio stream");
  stream.timeBase = new Rational(1, context.sampleRate);
  return stream;
}

/** For the titles of chapters. */
export function addTitleStream(output: FormatContext): Stream {
  const stream = output.newStream();
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE;
  stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT;
  stream.codecpar.codecTag = "text";
  stream.codecpar.extradata = Buffer.from(textSampleDescription);
  stream.timeBase = new Rational(milliseconds.num, milliseconds.den);
  return stream;
}

export function addCoverStream(output: FormatContext, coverImage: ImageHeader): Stream {
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
export function writePacket(
  output: FormatContext,
  stream: Stream,
  bytes: Uint8Array,
  startMs = 0,
  durationMs = 0,
): void {
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
  FFmpegError.throwIfError(result, "writing a packet");
}

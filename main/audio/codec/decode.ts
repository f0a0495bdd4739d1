// Opens a media file and returns its audio as mono float samples, block by block, in playback time. Uses node-av's
// synchronous calls (three times as fast as the asynchronous ones), so it must run in a child process. See formats.ts
// for the accepted containers.

import { readFileSync, statSync } from "node:fs";
import {
  AV_LOG_QUIET,
  AV_NOPTS_VALUE,
  AVDISCARD_ALL,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVERROR_STREAM_NOT_FOUND,
  AVMEDIA_TYPE_AUDIO,
  type AVCodecID,
} from "node-av/constants";
import { Codec, CodecContext, FormatContext, Frame, Log, Packet, type Stream } from "node-av/lib";
import { AppError } from "../../contract/errors.ts";
import { notifyBlockDecoded } from "./decode-progress.ts";
import { createMonoResampler } from "./mono-resampler.ts";
import { areMp4TablesPlausible } from "./mp4-table-check.ts";
import { joinSamples } from "./pcm.ts";

/** Callers refuse shorter audio; the decoder itself refuses only files without any sample. */
export const minDurationSec = 0.1;

export interface MediaDecoder {
  /** From the container, or estimated by FFmpeg; undefined for a stream without an index. */
  readonly durationSec?: number;
  readonly codec: AVCodecID;
  /** The next block of mono samples in −1..1 (about a second); undefined at the end. Throws AppError. */
  read(): Float32Array | undefined;
  close(): void;
}

/** One day. */
export const defaultMaxDurationSec = 24 * 3600;

export type DecoderOptions = {
  sampleRateHz: number;
  /** Longer audio is refused while it is decoded: a small file can decode to days of silence. */
  maxDurationSec?: number;
};

/**
 * Allowed demuxers. Playlists and scripts (HLS, DASH, concat, SDP, image sequences) are excluded: they would let an
 * uploaded file read other files or the network.
 */
const demuxers = "mp3,aac,mov,matroska,wav,w64,mpeg,mpegvideo,ogg,flac";

/** A smaller jump in the timestamps is rounding; a larger one is a pause that players play as silence. */
const minGapSec = 0.05;
/** A larger jump is a broken or restarted clock, not a pause. */
const maxGapSec = 3600;
/** Number of consecutive failures before reading stops; damage is mostly local. */
const maxReadAttempts = 50;

/** Size of a WAVE header without samples, the smallest valid file. */
const wavHeaderBytes = 44;

const tooShortError = () =>
  new AppError("audio.tooShort", { min: minDurationSec }, { param: "file" });
const undecodableError = () => new AppError("audio.undecodable", {}, { param: "file" });
const implausibleTablesError = () => new AppError("audio.implausible", {}, { param: "file" });
const tooLongError = (maxSec: number) =>
  new AppError("audio.tooLong", { hours: toHours(maxSec) }, { param: "file" });
const noAudioTrackError = () => new AppError("audio.noTrack", {}, { param: "file" });

/** Opens a file's best audio stream. Throws AppError; its message never contains the path. */
export function openDecoder(path: string, options: DecoderOptions): MediaDecoder {
  // FFmpeg logs to stderr, including file names.
  Log.setLevel(AV_LOG_QUIET);
  const input = new FormatContext();
  const codec = new CodecContext();
  try {
    const stream = openStream(path, input);
    openCodec(stream, codec);
    return createDecoder(input, codec, stream, options);
  } catch (error) {
    codec.freeContext();
    input.closeInputSync();
    throw error;
  }
}

function openStream(path: string, input: FormatContext): Stream {
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (sizeBytes === 0) throw tooShortError();
  const isHeaderOnly =
    sizeBytes !== undefined &&
    sizeBytes <= wavHeaderBytes &&
    readFileSync(path, "latin1").startsWith("RIFF");
  if (sizeBytes !== undefined && !areMp4TablesPlausible(path)) throw implausibleTablesError();
  input.allocContext();
  input.setOption("format_whitelist", demuxers);
  input.setOption("protocol_whitelist", "file");
  // `file:` keeps a name with a colon from being parsed as a protocol.
  if (input.openInputSync(`file:${path}`) < 0)
    throw isHeaderOnly ? tooShortError() : undecodableError();
  // The result is ignored: an error in one stream must not affect the others. A missing audio stream is detected below.
  input.findStreamInfoSync(null);
  const best = input.findBestStream(AVMEDIA_TYPE_AUDIO);
  const streams = input.streams;
  if (best === AVERROR_STREAM_NOT_FOUND && streams.length > 0) throw noAudioTrackError();
  const stream = streams[best];
  if (stream === undefined) throw undecodableError();
  for (const other of streams) if (other.index !== best) other.discard = AVDISCARD_ALL;
  return stream;
}

function openCodec(stream: Stream, codec: CodecContext): void {
  const decoder = Codec.findDecoder(stream.codecpar.codecId);
  if (decoder === null) throw undecodableError();
  codec.allocContext3(decoder);
  codec.parametersToContext(stream.codecpar);
  // Required to remove the encoder's padding at start and end.
  codec.pktTimebase = stream.timeBase;
  codec.threadCount = 1;
  if (codec.open2Sync(decoder) < 0) throw undecodableError();
}

const toHours = (sec: number): number => Number((sec / 3600).toFixed(2));

const microseconds = { num: 1, den: 1_000_000 };
const toSeconds = (ticks: bigint, base: { num: number; den: number }) =>
  (Number(ticks) * base.num) / base.den;

function createDecoder(
  input: FormatContext,
  codec: CodecContext,
  stream: Stream,
  options: DecoderOptions,
): MediaDecoder {
  const { sampleRateHz, maxDurationSec = defaultMaxDurationSec } = options;
  const timeBase = stream.timeBase;
  const estimatedDurationSec =
    stream.duration > 0n
      ? toSeconds(stream.duration, timeBase)
      : input.duration > 0n
        ? toSeconds(input.duration, microseconds)
        : undefined;

  if (estimatedDurationSec !== undefined && estimatedDurationSec > maxDurationSec + 1)
    throw tooLongError(maxDurationSec);

  const packet = new Packet();
  packet.alloc();
  const frame = new Frame();
  frame.alloc();
  const resampler = createMonoResampler(sampleRateHz);

  /** The timestamp at which players start; a negative one is an encoder's padding, which the decoder removes. */
  let clockOffsetSec =
    input.startTime === AV_NOPTS_VALUE ? 0 : Math.max(0, toSeconds(input.startTime, microseconds));
  /** End of the decoded audio, in playback time. */
  let positionSec = 0;
  let pendingSilenceSamples = 0;
  let hasPendingFrame = false;
  let returnedSamples = 0;
  let isDamaged = false;
  let decoderState: "reading" | "draining" | "ended" = "reading";
  let closed = false;

  /** Feeds one packet, or the end of the stream, to the decoder. Skips damaged packets. */
  function feed(): void {
    for (let attempt = 0; attempt < maxReadAttempts; attempt++) {
      const read = input.readFrameSync(packet);
      if (read === AVERROR_EOF) break;
      if (read < 0) {
        isDamaged = true;
        continue;
      }
      const isSelectedStream = packet.streamIndex === stream.index;
      const sent = isSelectedStream ? codec.sendPacketSync(packet) : 0;
      packet.unref();
      if (sent < 0) isDamaged = true;
      return;
    }
    codec.sendPacketSync(null);
    decoderState = "draining";
  }

  /** Decodes one frame into `frame`; false at the end of the stream. */
  function nextFrame(): boolean {
    while (decoderState !== "ended") {
      const received = codec.receiveFrameSync(frame);
      if (received >= 0) return true;
      if (received !== AVERROR_EAGAIN && received !== AVERROR_EOF) isDamaged = true;
      if (decoderState === "draining") decoderState = "ended";
      else feed();
    }
    return false;
  }

  /**
   * Compares the frame's timestamp with the decoded length: a pause becomes silence, a restarted clock a new offset.
   */
  function syncToTimestamp(): void {
    const timestamp = frame.bestEffortTimestamp;
    if (timestamp !== AV_NOPTS_VALUE) {
      const aheadSec = toSeconds(timestamp, timeBase) - clockOffsetSec - positionSec;
      if (aheadSec > maxGapSec || aheadSec < -minGapSec) clockOffsetSec += aheadSec;
      else if (aheadSec > minGapSec) {
        pendingSilenceSamples += Math.round(aheadSec * sampleRateHz);
        positionSec += aheadSec;
      }
    }
    positionSec += frame.nbSamples / frame.sampleRate;
  }

  function nextPart(): Float32Array | undefined {
    if (!hasPendingFrame && nextFrame()) {
      syncToTimestamp();
      hasPendingFrame = true;
    }
    if (pendingSilenceSamples > 0) {
      const silence = new Float32Array(Math.min(pendingSilenceSamples, sampleRateHz));
      pendingSilenceSamples -= silence.length;
      return silence;
    }
    if (hasPendingFrame) {
      hasPendingFrame = false;
      const part = resampler.convert(frame);
      if (part === undefined) isDamaged = true;
      return part ?? new Float32Array(0);
    }
    const remaining = resampler.finish();
    return remaining.length > 0 ? remaining : undefined;
  }

  return {
    ...(estimatedDurationSec === undefined ? {} : { durationSec: estimatedDurationSec }),
    codec: stream.codecpar.codecId,
    read() {
      if (closed) return undefined;
      const parts: Float32Array[] = [];
      for (let length = 0; length < sampleRateHz;) {
        const part = nextPart();
        if (part === undefined) break;
        parts.push(part);
        length += part.length;
      }
      const block = joinSamples(parts);
      notifyBlockDecoded();
      returnedSamples += block.length;
      if (returnedSamples > maxDurationSec * sampleRateHz) {
        throw tooLongError(maxDurationSec);
      }
      if (returnedSamples === 0) throw isDamaged ? undecodableError() : tooShortError();
      return block.length > 0 ? block : undefined;
    },
    close() {
      if (closed) return;
      closed = true;
      resampler.close();
      frame.free();
      packet.free();
      codec.freeContext();
      input.closeInputSync();
    },
  };
}

// Opens a media file and returns its audio as mono float samples, block by block, in playback time. Uses node-av's
// synchronous calls (three times as fast as the asynchronous ones), so it must run in a child process. See formats.ts
// for the accepted containers.

import { readFileSync, statSync } from "node:fs";
import {
  AV_LOG_QUIET,
  AVDISCARD_ALL,
  AVERROR_STREAM_NOT_FOUND,
  AVMEDIA_TYPE_AUDIO,
  type AVCodecID,
} from "node-av/constants";
import { Codec, CodecContext, FormatContext, Log, type Stream } from "node-av/lib";
import { AppError } from "../../contract/errors.ts";
import { notifyBlockDecoded } from "./decode-progress.ts";
import { createFrameReader } from "./frame-reader.ts";
import { createMonoResampler } from "./mono-resampler.ts";
import { areMp4TablesPlausible } from "./mp4-table-check.ts";
import { joinSamples } from "./pcm.ts";
import { createPlaybackClock, estimateDurationSec } from "./playback-clock.ts";

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
  /** Index of the only channel that is read; default: the mean of all. */
  channel?: number | undefined;
};

/**
 * Allowed demuxers. Playlists and scripts (HLS, DASH, concat, SDP, image sequences) are excluded: they would let an
 * uploaded file read other files or the network.
 */
const demuxers = "mp3,aac,mov,matroska,wav,w64,mpeg,mpegvideo,ogg,flac";

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

function createDecoder(
  input: FormatContext,
  codec: CodecContext,
  stream: Stream,
  options: DecoderOptions,
): MediaDecoder {
  const { sampleRateHz, maxDurationSec = defaultMaxDurationSec, channel } = options;
  const estimatedDurationSec = estimateDurationSec(input, stream);
  if (estimatedDurationSec !== undefined && estimatedDurationSec > maxDurationSec + 1)
    throw tooLongError(maxDurationSec);

  const frames = createFrameReader(input, codec, stream);
  const clock = createPlaybackClock(input, stream);
  const resampler = createMonoResampler(sampleRateHz, channel);
  let pendingSilenceSamples = 0;
  let hasPendingFrame = false;
  let returnedSamples = 0;
  let hasUnconvertedFrame = false;
  let closed = false;

  const isDamaged = (): boolean => hasUnconvertedFrame || frames.isDamaged();

  function nextPart(): Float32Array | undefined {
    if (!hasPendingFrame && frames.next()) {
      pendingSilenceSamples += Math.round(clock.advance(frames.frame) * sampleRateHz);
      hasPendingFrame = true;
    }
    if (pendingSilenceSamples > 0) {
      const silence = new Float32Array(Math.min(pendingSilenceSamples, sampleRateHz));
      pendingSilenceSamples -= silence.length;
      return silence;
    }
    if (hasPendingFrame) {
      hasPendingFrame = false;
      const part = resampler.convert(frames.frame);
      if (part === undefined) hasUnconvertedFrame = true;
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
      if (returnedSamples === 0) throw isDamaged() ? undecodableError() : tooShortError();
      return block.length > 0 ? block : undefined;
    },
    close() {
      if (closed) return;
      closed = true;
      resampler.close();
      frames.close();
      codec.freeContext();
      input.closeInputSync();
    },
  };
}

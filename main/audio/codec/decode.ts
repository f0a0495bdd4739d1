// Opens a media file and gives its sound as mono float samples, block by block, in the file's playing time. FFmpeg
// does the work through node-av's synchronous calls (three times as fast as the others), so this belongs in a child
// process. See formats.ts for whether a container is accepted at all.

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
import { noteDecoded } from "./decode-progress.ts";
import { createMonoResampler } from "./mono-resampler.ts";
import { areMp4ClaimsPlausible } from "./mp4-claims.ts";
import { joinSamples } from "./pcm.ts";

/** What callers refuse as too short; the decoder itself only refuses files without a single sample. */
export const minDurationSec = 0.1;

export interface MediaDecoder {
  /** What the container says or lets guess; a stream without an index says nothing. */
  readonly durationSec?: number;
  readonly codec: AVCodecID;
  /** The next block of mono samples in −1..1 (about a second), undefined at the end. Throws AppError. */
  read(): Float32Array | undefined;
  close(): void;
}

/** A day. */
export const defaultMaxDurationSec = 24 * 3600;

export type DecoderOptions = {
  sampleRateHz: number;
  /** Longer sound is refused while it is read: a small file can unfold to days of silence. */
  maxDurationSec?: number;
};

/**
 * The demuxers that may be tried. Playlists and scripts (HLS, DASH, concat, SDP, image sequences) are not among
 * them: they would read other files or the network on behalf of whoever sent the file.
 */
const demuxers = "mp3,aac,mov,matroska,wav,w64,mpeg,mpegvideo,ogg,flac";

/** A jump in the timestamps below this is rounding, above it is a pause that players play as silence. */
const gapSec = 0.05;
/** A jump beyond this is a broken or restarted clock, not a pause. */
const longestGapSec = 3600;
/** Reading goes on after this many failures in a row, since damage is mostly local. */
const readAttempts = 50;

/** A WAVE file's header, the shortest there is, without any sound. */
const headerBytes = 44;

const tooShort = () =>
  new AppError(
    "audio_too_short",
    `Audio file is too short. Minimum audio length is ${minDurationSec} seconds.`,
    { param: "file" },
  );
const undecodable = () =>
  new AppError(
    "undecodable_audio",
    "The audio file could not be decoded or its format is not supported.",
    { param: "file" },
  );
const impossibleTables = () =>
  new AppError(
    "undecodable_audio",
    "The audio file is damaged: its tables claim more than a file of its size can hold.",
    { param: "file" },
  );
const tooLong = (maxSec: number) =>
  new AppError(
    "audio_too_long",
    `The audio is longer than ${hours(maxSec)} hours, the longest that is taken.`,
    { param: "file" },
  );
const noAudioTrack = () =>
  new AppError("undecodable_audio", "The file has no audio track.", { param: "file" });

/** Opens a file's best audio stream. Throws AppError, whose message never holds the path. */
export function openDecoder(path: string, options: DecoderOptions): MediaDecoder {
  // FFmpeg writes its remarks, file names included, to stderr.
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
  if (sizeBytes === 0) throw tooShort();
  const isHeaderOnly =
    sizeBytes !== undefined &&
    sizeBytes <= headerBytes &&
    readFileSync(path, "latin1").startsWith("RIFF");
  if (sizeBytes !== undefined && !areMp4ClaimsPlausible(path)) throw impossibleTables();
  input.allocContext();
  input.setOption("format_whitelist", demuxers);
  input.setOption("protocol_whitelist", "file");
  // The `file:` keeps a name with a colon from being taken for a protocol.
  if (input.openInputSync(`file:${path}`) < 0) throw isHeaderOnly ? tooShort() : undecodable();
  // What cannot be found out about one stream must not spoil the others: the result is seen below.
  input.findStreamInfoSync(null);
  const best = input.findBestStream(AVMEDIA_TYPE_AUDIO);
  const streams = input.streams;
  if (best === AVERROR_STREAM_NOT_FOUND && streams.length > 0) throw noAudioTrack();
  const stream = streams[best];
  if (stream === undefined) throw undecodable();
  for (const other of streams) if (other.index !== best) other.discard = AVDISCARD_ALL;
  return stream;
}

function openCodec(stream: Stream, codec: CodecContext): void {
  const decoder = Codec.findDecoder(stream.codecpar.codecId);
  if (decoder === null) throw undecodable();
  codec.allocContext3(decoder);
  codec.parametersToContext(stream.codecpar);
  // Without it the decoder cannot cut off an encoder's padding at the start and end.
  codec.pktTimebase = stream.timeBase;
  codec.threadCount = 1;
  if (codec.open2Sync(decoder) < 0) throw undecodable();
}

const hours = (sec: number): number => Number((sec / 3600).toFixed(2));

const microseconds = { num: 1, den: 1_000_000 };
const seconds = (ticks: bigint, base: { num: number; den: number }) =>
  (Number(ticks) * base.num) / base.den;

function createDecoder(
  input: FormatContext,
  codec: CodecContext,
  stream: Stream,
  options: DecoderOptions,
): MediaDecoder {
  const { sampleRateHz, maxDurationSec = defaultMaxDurationSec } = options;
  const timeBase = stream.timeBase;
  const estimateSec =
    stream.duration > 0n
      ? seconds(stream.duration, timeBase)
      : input.duration > 0n
        ? seconds(input.duration, microseconds)
        : undefined;

  if (estimateSec !== undefined && estimateSec > maxDurationSec + 1) throw tooLong(maxDurationSec);

  const packet = new Packet();
  packet.alloc();
  const frame = new Frame();
  frame.alloc();
  const resampler = createMonoResampler(sampleRateHz);

  /** The timestamp at which players start; a negative one is an encoder's padding, which the decoder cuts off. */
  let clockOffsetSec =
    input.startTime === AV_NOPTS_VALUE ? 0 : Math.max(0, seconds(input.startTime, microseconds));
  /** How far the decoded sound reaches, in the file's playing time. */
  let playedSec = 0;
  let silentSamples = 0;
  let frameWaits = false;
  let givenSamples = 0;
  let sawDamage = false;
  let state: "reading" | "draining" | "ended" = "reading";
  let closed = false;

  /** Feeds the decoder one packet, or the end. Damaged packets are passed over. */
  function feed(): void {
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const read = input.readFrameSync(packet);
      if (read === AVERROR_EOF) break;
      if (read < 0) {
        sawDamage = true;
        continue;
      }
      const isOurs = packet.streamIndex === stream.index;
      const sent = isOurs ? codec.sendPacketSync(packet) : 0;
      packet.unref();
      if (sent < 0) sawDamage = true;
      return;
    }
    codec.sendPacketSync(null);
    state = "draining";
  }

  /** Decodes one frame into `frame`; false when the stream is over. */
  function nextFrame(): boolean {
    while (state !== "ended") {
      const received = codec.receiveFrameSync(frame);
      if (received >= 0) return true;
      if (received !== AVERROR_EAGAIN && received !== AVERROR_EOF) sawDamage = true;
      if (state === "draining") state = "ended";
      else feed();
    }
    return false;
  }

  /** Compares the frame's timestamp with the sound so far: a pause becomes silence, a restarted clock a new offset. */
  function keepTime(): void {
    const stamp = frame.bestEffortTimestamp;
    if (stamp !== AV_NOPTS_VALUE) {
      const aheadSec = seconds(stamp, timeBase) - clockOffsetSec - playedSec;
      if (aheadSec > longestGapSec || aheadSec < -gapSec) clockOffsetSec += aheadSec;
      else if (aheadSec > gapSec) {
        silentSamples += Math.round(aheadSec * sampleRateHz);
        playedSec += aheadSec;
      }
    }
    playedSec += frame.nbSamples / frame.sampleRate;
  }

  function nextPart(): Float32Array | undefined {
    if (!frameWaits && nextFrame()) {
      keepTime();
      frameWaits = true;
    }
    if (silentSamples > 0) {
      const silence = new Float32Array(Math.min(silentSamples, sampleRateHz));
      silentSamples -= silence.length;
      return silence;
    }
    if (frameWaits) {
      frameWaits = false;
      const part = resampler.convert(frame);
      if (part === undefined) sawDamage = true;
      return part ?? new Float32Array(0);
    }
    const rest = resampler.finish();
    return rest.length > 0 ? rest : undefined;
  }

  return {
    ...(estimateSec === undefined ? {} : { durationSec: estimateSec }),
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
      noteDecoded();
      givenSamples += block.length;
      if (givenSamples > maxDurationSec * sampleRateHz) {
        throw tooLong(maxDurationSec);
      }
      if (givenSamples === 0) throw sawDamage ? undecodable() : tooShort();
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

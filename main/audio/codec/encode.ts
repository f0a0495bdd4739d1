// Encodes a stream of mono samples into one of the formats of the speech endpoint. Uses node-av's synchronous calls, so
// it must run in a child process; framing.ts adds headers and framing. The bytes do not depend on how samples are
// divided into calls, so that a crashed encoder can be replaced by one that starts again.

import { AV_CODEC_FLAG_BITEXACT } from "node-av/constants";
import type { Packet } from "node-av/lib";
import type { AudioFormat } from "../../contract/speech.ts";
import {
  adtsFrame,
  createOggPager,
  flacHeader,
  joinBytes,
  opusTags,
  wavHeader,
} from "./framing.ts";
import { floatToPcm } from "./pcm.ts";
import { openSampleEncoder, type SampleEncoderOptions } from "./sample-encoder.ts";

export interface Encoder {
  /** Takes mono samples in −1..1 (louder ones are clipped); returns the bytes that are ready, often none. */
  encode(samples: Float32Array): Uint8Array;
  /** The rest of the file. No samples may follow. */
  finish(): Uint8Array;
  close(): void;
}

export type EncoderOptions = {
  format: AudioFormat;
  quality: "standard" | "high";
  sampleRateHz: number;
  /** If known before the first sample, headers contain the true length; exactly this many samples must follow. */
  totalSamples?: number;
};

/**
 * Bits per second for mono speech at 24 kHz: where artefacts of each codec stop being audible, and twice that. MP3 at
 * this sample rate (MPEG-2 layer III) allows at most 160 kbit/s. WAV, PCM and FLAC are lossless and have one quality.
 */
const bitRates = {
  mp3: { standard: 64_000, high: 128_000 },
  opus: { standard: 32_000, high: 64_000 },
  aac: { standard: 64_000, high: 128_000 },
} as const;

/** Opens an encoder. The concatenated bytes of all its calls are one valid file. */
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

/** Prepends `header` to the first bytes, whichever call returns them. */
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
 * Frames without a Xing or ID3 header: it would contain one file's length, but clients concatenate the responses for
 * parts of a long text.
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

/** One page per fifth of a second lets playback start early, and adds 4 % to the size. */
const opusPacketsPerPage = 10;
const opusPacketMs = 20;
/** Ogg Opus positions count at 48 kHz for any input rate (RFC 7845, 4). */
const opusClockHz = 48_000;
/** Any serial number is valid, as a file has one stream; a fixed one keeps the output reproducible. */
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

  /** The last packets wait for `finish`, because the last page must be marked as last. */
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
      // The last position removes the padding of the last packet.
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

/** An FFmpeg encoder that returns whole packets. */
function openCodec(options: Omit<SampleEncoderOptions, "flags">) {
  // Bit-exact: otherwise AAC files contain FFmpeg's version.
  const encoder = openSampleEncoder({ ...options, flags: AV_CODEC_FLAG_BITEXACT });
  return {
    extraData: Uint8Array.from(encoder.context.extraData ?? []),
    encode(samples: Float32Array): Uint8Array[] {
      const packets: Uint8Array[] = [];
      encoder.encode(samples, (packet) => addBytes(packet, packets));
      return packets;
    },
    finish(): Uint8Array[] {
      const packets: Uint8Array[] = [];
      encoder.finish((packet) => addBytes(packet, packets));
      return packets;
    },
    close: encoder.close,
  };
}

/** An empty packet only carries FLAC's checksum for the header, which has already been sent. */
function addBytes({ data, size }: Packet, packets: Uint8Array[]): void {
  if (data !== null && size > 0) packets.push(Uint8Array.from(data));
}

// Formats that every browser plays. Other files need a copy in one of these.

import type { AVCodecID } from "node-av/constants";
import type { Container } from "./formats.ts";

/**
 * FFmpeg's codec ids (libavcodec/codec_id.h), part of its stable interface. Copied here because the server process
 * needs media types, and importing node-av would load all of FFmpeg, 27 MB of memory.
 */
export const codecIds = {
  aac: 86_018,
  flac: 86_028,
  mp3: 86_017,
  opus: 86_076,
  vorbis: 86_021,
  pcmFloat32: 65_557,
  pcmInt16: 65_536,
  pcmInt24: 65_548,
  pcmUint8: 65_541,
} as const;

type PlayableContainer = { type: string; codecs: readonly number[] };

const ogg: PlayableContainer = { type: "audio/ogg", codecs: [codecIds.opus, codecIds.vorbis] };
const mp4: PlayableContainer = { type: "audio/mp4", codecs: [codecIds.aac, codecIds.mp3] };

const playableContainers: Partial<Record<Container, PlayableContainer>> = {
  mp3: { type: "audio/mpeg", codecs: [codecIds.mp3] },
  mp4,
  m4a: mp4,
  wav: {
    type: "audio/wav",
    codecs: [codecIds.pcmInt16, codecIds.pcmUint8, codecIds.pcmInt24, codecIds.pcmFloat32],
  },
  webm: { type: "audio/webm", codecs: ogg.codecs },
  flac: { type: "audio/flac", codecs: [codecIds.flac] },
  ogg,
  opus: ogg,
};

/** Media type of a container that browsers play; undefined for others. */
export const playableMediaType = (container: Container | undefined): string | undefined =>
  container === undefined ? undefined : playableContainers[container]?.type;

export const isPlayable = (container: Container | undefined, codec: AVCodecID): boolean =>
  container !== undefined && playableContainers[container]?.codecs.includes(codec) === true;

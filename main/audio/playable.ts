// What every browser plays as it is. Other files need a copy in a format that does.

import { AV_CODEC_ID_AAC, AV_CODEC_ID_FLAC, AV_CODEC_ID_MP3, AV_CODEC_ID_OPUS, AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_U8, AV_CODEC_ID_VORBIS, type AVCodecID } from 'node-av/constants';
import type { Container } from './formats.ts';

type Playable = { type: string; codecs: readonly AVCodecID[] };

const ogg: Playable = { type: 'audio/ogg', codecs: [AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS] };
const mp4: Playable = { type: 'audio/mp4', codecs: [AV_CODEC_ID_AAC, AV_CODEC_ID_MP3] };

const playable: Partial<Record<Container, Playable>> = {
  mp3: { type: 'audio/mpeg', codecs: [AV_CODEC_ID_MP3] },
  mp4,
  m4a: mp4,
  wav: { type: 'audio/wav', codecs: [AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_F32LE] },
  webm: { type: 'audio/webm', codecs: ogg.codecs },
  flac: { type: 'audio/flac', codecs: [AV_CODEC_ID_FLAC] },
  ogg,
  opus: ogg,
};

/** The media type of a container that browsers play. */
export const mediaType = (container: Container | undefined): string | undefined => (container === undefined ? undefined : playable[container]?.type);

export const isPlayable = (container: Container | undefined, codec: AVCodecID): boolean => container !== undefined && playable[container]?.codecs.includes(codec) === true;

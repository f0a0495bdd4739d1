import * as ffmpeg from "node-av/constants";
import { expect, it } from "vitest";
import { codecIds } from "../../../../main/audio/codec/browser-playback.ts";

it("uses FFmpeg's numbers for codecs", () => {
  const {
    AV_CODEC_ID_AAC: aac,
    AV_CODEC_ID_FLAC: flac,
    AV_CODEC_ID_MP3: mp3,
    AV_CODEC_ID_OPUS: opus,
    AV_CODEC_ID_VORBIS: vorbis,
  } = ffmpeg;
  const {
    AV_CODEC_ID_PCM_F32LE: pcmFloat32,
    AV_CODEC_ID_PCM_S16LE: pcmInt16,
    AV_CODEC_ID_PCM_S24LE: pcmInt24,
    AV_CODEC_ID_PCM_U8: pcmUint8,
  } = ffmpeg;
  expect(codecIds).toEqual({
    aac,
    flac,
    mp3,
    opus,
    vorbis,
    pcmFloat32,
    pcmInt16,
    pcmInt24,
    pcmUint8,
  });
});

// Checks by the first bytes whether audio has the requested format, and how to compute its duration. Bytes count more
// than the declared type, since some servers declare audio/mpeg for everything.

import type { AudioFormat } from "../../contract/speech.ts";

/** A declared type that is neither audio nor octet-stream, or an HTML page or JSON error under an audio type. */
export function looksLikeText(contentType: string, first: Uint8Array): boolean {
  if (
    contentType !== "" &&
    !/^(audio\/|video\/|application\/(octet-stream|ogg)$|binary\/)/.test(contentType)
  )
    return true;
  return /^\s*(<!doctype|<html|<\?xml|\{\s*"(error|detail|message)")/i.test(
    Buffer.from(first.subarray(0, 64)).toString("latin1"),
  );
}

export function matchesFormat(
  contentType: string,
  first: Uint8Array,
  format: AudioFormat,
): boolean {
  const detectedFormat = detectFormat(first);
  // Samples near zero look like MPEG audio frames.
  if (detectedFormat !== undefined && !(format === "pcm" && isMpegFrame(first)))
    return detectedFormat === format;
  const declaredFormat = declaredFormats.find(([pattern]) => pattern.test(contentType))?.[1];
  return declaredFormat === undefined || declaredFormat === format;
}

const declaredFormats: readonly (readonly [RegExp, AudioFormat])[] = [
  [/^audio\/(mpeg|mp3|x-mp3|mpga)$/, "mp3"],
  [/^(audio|application)\/(opus|ogg)$/, "opus"],
  [/^audio\/(aac|aacp|x-aac)$/, "aac"],
  [/^audio\/(flac|x-flac)$/, "flac"],
  [/^audio\/(wav|x-wav|wave|vnd\.wave)$/, "wav"],
  [/^audio\/(pcm|l16|raw|x-raw|x-pcm)$/, "pcm"],
];

const isMpegFrame = (bytes: Uint8Array) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;

function detectFormat(bytes: Uint8Array): AudioFormat | undefined {
  const magic = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  if (magic === "RIFF" || magic === "RF64") return "wav";
  if (magic === "OggS") return "opus";
  if (magic === "fLaC") return "flac";
  if (magic.startsWith("ID3")) return "mp3";
  // Layer 0 does not exist in MPEG audio; it marks ADTS (ISO 14496-3, 1.A.3.2).
  if (isMpegFrame(bytes)) return ((bytes[1] ?? 0) & 0x06) === 0 ? "aac" : "mp3";
  return undefined;
}

const wavHeaderBytes = 44;
/** 24 kHz, 16 bits, one channel, as OpenAI defines `pcm`. */
const pcmBytesPerSec = 48_000;

/** Returns a function from bytes to seconds; undefined if only decoding can tell the duration. */
export function createAudioSecCalculator(
  first: Uint8Array,
  format: AudioFormat,
): ((sizeBytes: number) => number) | undefined {
  if (format === "pcm") return (sizeBytes) => sizeBytes / pcmBytesPerSec;
  if (format !== "wav" || first.length < wavHeaderBytes) return undefined;
  const bytesPerSec = new DataView(first.buffer, first.byteOffset).getUint32(28, true);
  return bytesPerSec === 0
    ? undefined
    : (sizeBytes) => Math.max(0, sizeBytes - wavHeaderBytes) / bytesPerSec;
}

// Detects the media container from bytes alone, since names and declared types may be wrong, and lists the media types
// of generated formats. Pure: the server process uses it before a file is stored; decode.ts does the rest.

import type { AudioFormat } from "../../contract/speech.ts";

/** Accepted by the transcription endpoint, in the order of its error message. */
export const standardContainers = ["mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm"] as const;
/** Also accepted if the setting allows more than the standard. `opus` is Opus in Ogg. */
export const extendedContainers = ["flac", "ogg", "opus"] as const;
export type Container = (typeof standardContainers)[number] | (typeof extendedContainers)[number];

export function acceptedContainers(includeExtended: boolean): readonly Container[] {
  return includeExtended ? [...standardContainers, ...extendedContainers] : standardContainers;
}

export const audioMimeTypes: Record<AudioFormat, string> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** Bytes `sniffContainer` needs from the start of a file: two of the largest MPEG audio frames and a small tag. */
export const sniffBytes = 8192;

/**
 * Container of a file that starts with `firstBytes` (`sniffBytes` of them, or the whole file); undefined for everything
 * that is not accepted, including images, text, AVI, QuickTime, Matroska and bare AAC.
 */
export function sniffContainer(firstBytes: Uint8Array): Container | undefined {
  const at = (offset: number, text: string) => hasTextAt(firstBytes, offset, text);
  if (at(0, "ID3")) return sniffAfterId3Tags(firstBytes);
  if (at(4, "ftyp")) return sniffMp4(firstBytes);
  if ((at(0, "RIFF") || at(0, "RIFX") || at(0, "RF64") || at(0, "BW64")) && firstBytes.length >= 12)
    return at(8, "WAVE") ? "wav" : undefined;
  if (at(0, "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00")) return "wav";
  if (at(0, "\x1a\x45\xdf\xa3")) return sniffEbml(firstBytes);
  if (at(0, "OggS")) return at(27 + (firstBytes[26] ?? 0), "OpusHead") ? "opus" : "ogg";
  if (at(0, "fLaC")) return "flac";
  if (at(0, "\x00\x00\x01\xb3")) return "mpeg";
  if (at(0, "\x00\x00\x01\xba")) {
    // ISO 11172-1 and 13818-1: after the pack start code come the bits 0010 (MPEG-1) or 01 (MPEG-2).
    const markerBits = firstBytes[4] ?? 0;
    return markerBits >> 4 === 0b0010 || markerBits >> 6 === 0b01 ? "mpeg" : undefined;
  }
  return sniffMpegAudio(firstBytes);
}

function hasTextAt(bytes: Uint8Array, offset: number, latin1: string): boolean {
  if (offset + latin1.length > bytes.length) return false;
  for (let i = 0; i < latin1.length; i++)
    if (bytes[offset + i] !== latin1.charCodeAt(i)) return false;
  return true;
}

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

const readUint32 = (bytes: Uint8Array, offset: number) =>
  new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0);

/**
 * ID3v2 tags (id3.org, ID3v2.4 structure) may contain a picture larger than `sniffBytes`; the file is then most likely
 * MP3.
 */
function sniffAfterId3Tags(firstBytes: Uint8Array): Container | undefined {
  let end = 0;
  while (hasTextAt(firstBytes, end, "ID3")) {
    const header = firstBytes.subarray(end, end + 10);
    const [, , , major = 255, , flags = 0, a = 128, b = 128, c = 128, d = 128] = header;
    if (major === 255 || (a | b | c | d) & 0x80) return undefined;
    end += 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (flags & 0x10 ? 10 : 0);
  }
  while (firstBytes[end] === 0) end++;
  if (end + 4 > firstBytes.length) return "mp3";
  return hasTextAt(firstBytes, end, "fLaC") ? "flac" : sniffMpegAudio(firstBytes.subarray(end));
}

/** Brands from mp4ra.org. A file may have an unknown brand if it lists a known one as compatible. */
const mp4Brand =
  /^(iso[m\d]|mp4[12]|mp71|avc1|dash|cmf[a-z\d]|dby1|f4v |M4V[ HP]|MSNV|mmp4|ndsc|NDSC|XAVC|3g[gprse][\da-z])$/;
const nonAudioBrand = /^(qt {2}|hei[cxms]|hev[cxms]|mif1|msf1|avif|avis|jp2 |jpm |jpx |crx )$/;

function sniffMp4(firstBytes: Uint8Array): Container | undefined {
  if (firstBytes.length < 16) return undefined;
  // A size of 1 means that the actual size follows in 64 bits.
  const boxSize = readUint32(firstBytes, 0);
  const brandsAt = boxSize === 1 ? 16 : 8;
  const end = boxSize < 16 ? firstBytes.length : Math.min(boxSize, firstBytes.length);
  const major = latin1(firstBytes.subarray(brandsAt, brandsAt + 4));
  if (/^M4[ABP] $/.test(major)) return "m4a";
  if (nonAudioBrand.test(major)) return undefined;
  for (let at = brandsAt; at + 4 <= end; at += 4) {
    // The four bytes after the major brand are its version.
    if (at !== brandsAt + 4 && mp4Brand.test(latin1(firstBytes.subarray(at, at + 4)))) return "mp4";
  }
  return undefined;
}

/** Reads the EBML header (RFC 8794) up to its DocType: `webm` is accepted, `matroska` is not. */
function sniffEbml(firstBytes: Uint8Array): Container | undefined {
  const vint = (at: number, keepMarker: boolean) => {
    const first = firstBytes[at] ?? 0;
    const length = Math.clz32(first) - 23;
    let value = keepMarker ? first : first & (0xff >> length);
    for (let i = 1; i < length; i++) value = value * 256 + (firstBytes[at + i] ?? 0);
    return { value, next: at + length };
  };
  const docType = 0x4282;
  let at = vint(4, false).next;
  while (at < firstBytes.length) {
    const id = vint(at, true);
    const size = vint(id.next, false);
    if (id.value === docType)
      return latin1(firstBytes.subarray(size.next, size.next + size.value)).replace(/\0+$/, "") ===
        "webm"
        ? "webm"
        : undefined;
    at = size.next + size.value;
  }
  return undefined;
}

type FrameHeader = {
  layer: 1 | 2 | 3;
  /** 0 for free format, where the header has no length. */
  lengthBytes: number;
  /** Header fields that are constant within a stream. */
  kind: number;
};

/** kbit/s by layer for MPEG-1, then for MPEG-2 and 2.5; ISO 11172-3 and 13818-3, 2.4.2.3. */
const bitRatesKbps = {
  first: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  later: {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

function frameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (at + 4 > bytes.length) return undefined;
  const word = readUint32(bytes, at);
  const version = (word >>> 19) & 3; // 0: MPEG-2.5, 2: MPEG-2, 3: MPEG-1
  const layer = 4 - ((word >>> 17) & 3);
  const rateIndex = (word >>> 10) & 3;
  if (
    word >>> 21 !== 0x7ff ||
    version === 1 ||
    (layer !== 1 && layer !== 2 && layer !== 3) ||
    rateIndex === 3
  )
    return undefined;
  const kbps = bitRatesKbps[version === 3 ? "first" : "later"][layer][(word >>> 12) & 15];
  if (kbps === undefined || (word & 3) === 2) return undefined;
  const sampleRateHz =
    [44100, 48000, 32000][rateIndex]! / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const padding = (word >>> 9) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152;
  const slotBytes = layer === 1 ? 4 : 1;
  const lengthBytes =
    kbps === 0
      ? 0
      : (Math.floor((samples * kbps * 125) / sampleRateHz / slotBytes) + padding) * slotBytes;
  return { layer, lengthBytes, kind: word & 0xfffe0c00 };
}

/**
 * MPEG audio has no signature, only frame headers, which random bytes can imitate: a second header of the same kind
 * must follow at the position given by the first. A recording cut by bytes starts within a frame, so headers are
 * searched further on too; there three are required.
 */
function sniffMpegAudio(firstBytes: Uint8Array): Container | undefined {
  let start = 0;
  while (firstBytes[start] === 0) start++;
  const largestFrameBytes = 1729;
  for (let at = start; at < Math.min(start + largestFrameBytes, firstBytes.length - 3); at++) {
    const header = frameHeader(firstBytes, at);
    if (header !== undefined && isFollowedByFrames(firstBytes, at, header, at === start))
      return header.layer === 3 ? "mp3" : "mpga";
  }
  return undefined;
}

function isFollowedByFrames(
  firstBytes: Uint8Array,
  at: number,
  first: FrameHeader,
  atStart: boolean,
): boolean {
  if (first.lengthBytes === 0) return atStart && isRepeatingFreeFormat(firstBytes, at, first.kind);
  let next = at + first.lengthBytes;
  for (let framesToCheck = atStart ? 1 : 2; framesToCheck > 0; framesToCheck--) {
    // A Layer I header looks like the start of UTF-16 text, so a file too short for a second frame is accepted only as
    // MP3.
    if (next + 4 > firstBytes.length) return atStart && first.layer === 3;
    const header = frameHeader(firstBytes, next);
    if (header?.kind !== first.kind || header.lengthBytes === 0) return false;
    next += header.lengthBytes;
  }
  return true;
}

/** All free-format frames have the same length except for the padding slot, so only the next headers show it. */
function isRepeatingFreeFormat(firstBytes: Uint8Array, at: number, kind: number): boolean {
  const isFreeFormatHeader = (offset: number) => {
    const header = frameHeader(firstBytes, offset);
    return header?.kind === kind && header.lengthBytes === 0;
  };
  for (let length = 24; at + 2 * length + 5 <= firstBytes.length; length++) {
    if (
      isFreeFormatHeader(at + length) &&
      [-4, -1, 0, 1, 4].some((paddingOffset) => isFreeFormatHeader(at + 2 * length + paddingOffset))
    )
      return true;
  }
  return false;
}

// Framing of encoded audio: WAV and FLAC headers, ADTS headers, Ogg pages. FFmpeg's muxers are not used because they
// write only to a file or asynchronously. Pure.

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const wavHeaderBytes = 44;

/**
 * RIFF WAVE, 16-bit. If the length is unknown, both sizes are 0xFFFFFFFF, which players take for "until the end".
 * @param totalSamples of each channel
 */
export function wavHeader(
  sampleRateHz: number,
  totalSamples: number | undefined,
  channels = 1,
): Uint8Array {
  const unknown = 0xffffffff;
  const frameBytes = channels * 2;
  const dataBytes = totalSamples === undefined ? unknown : totalSamples * frameBytes;
  const isKnown = dataBytes + 36 < unknown;
  const header = new Uint8Array(wavHeaderBytes);
  const view = new DataView(header.buffer);
  header.set(ascii("RIFF"), 0);
  view.setUint32(4, isKnown ? dataBytes + 36 : unknown, true);
  header.set(ascii("WAVEfmt "), 8);
  view.setUint32(16, 16, true); // bytes of the format chunk
  view.setUint16(20, 1, true); // integer PCM
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * frameBytes, true);
  view.setUint16(32, frameBytes, true); // bytes per sample over all channels
  view.setUint16(34, 16, true); // bits per sample
  header.set(ascii("data"), 36);
  view.setUint32(40, isKnown ? dataBytes : unknown, true);
  return header;
}

/** Number of channels that a header of `wavHeader` states. */
export const wavChannels = (header: Uint8Array): number =>
  Math.max(1, new DataView(header.buffer, header.byteOffset).getUint16(22, true));

/** The two sizes of a WAVE file, to overwrite those in a header written before the length was known. */
export function wavSizes(fileBytes: number): { at: number; bytes: Uint8Array }[] {
  const header = wavHeader(0, (fileBytes - wavHeaderBytes) / 2);
  return [4, 40].map((at) => ({ at, bytes: header.subarray(at, at + 4) }));
}

/**
 * Signature and the single STREAMINFO block (RFC 9639, 8.2). The encoder sets the number of samples to 0, which means
 * unknown; a known number is written to the 36 bits from bit 108 of the block.
 */
export function flacHeader(streamInfo: Uint8Array, totalSamples: number | undefined): Uint8Array {
  const header = joinBytes([
    ascii("fLaC"),
    Uint8Array.of(0x80, 0, 0, streamInfo.length),
    streamInfo,
  ]);
  if (totalSamples !== undefined && totalSamples < 2 ** 36) {
    const view = new DataView(header.buffer, 8);
    view.setUint8(13, (view.getUint8(13) & 0xf0) | Math.floor(totalSamples / 2 ** 32));
    view.setUint32(14, totalSamples % 2 ** 32);
  }
  return header;
}

/** An AAC frame with its ADTS header (ISO 14496-3, 1.A.3.2), derived from the encoder's AudioSpecificConfig. */
export function adtsFrame(audioSpecificConfig: Uint8Array, payload: Uint8Array): Uint8Array {
  const config = ((audioSpecificConfig[0] ?? 0) << 8) | (audioSpecificConfig[1] ?? 0);
  const objectType = config >> 11;
  const rateIndex = (config >> 7) & 15;
  const channels = (config >> 3) & 15;
  const length = payload.length + 7;
  return joinBytes([
    Uint8Array.of(
      0xff,
      0xf1, // MPEG-4, no checksum
      ((objectType - 1) << 6) | (rateIndex << 2) | (channels >> 2),
      ((channels & 3) << 6) | (length >> 11),
      (length >> 3) & 0xff,
      ((length & 7) << 5) | 0x1f,
      0xfc, // buffer fullness unknown, one block
    ),
    payload,
  ]);
}

/** Polynomial 0x04c11db7, neither reflected nor inverted (RFC 3533, 6). */
const oggCrcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});

function oggCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ oggCrcTable[(crc >>> 24) ^ byte]!;
  return crc >>> 0;
}

/** Builds the pages of one Ogg stream (RFC 3533) from packets that each fit in a page. */
export function createOggPager(serial: number) {
  let sequence = 0;
  /** `granule` is the stream position after the last packet, in the codec's unit. */
  return (packets: readonly Uint8Array[], granule: number, isLast = false): Uint8Array => {
    const lacing = packets.flatMap((packet) => [
      ...Array<number>(Math.floor(packet.length / 255)).fill(255),
      packet.length % 255,
    ]);
    const header = new Uint8Array(27);
    const view = new DataView(header.buffer);
    header.set(ascii("OggS"), 0);
    view.setUint8(5, (sequence === 0 ? 2 : 0) | (isLast ? 4 : 0));
    view.setBigUint64(6, BigInt(granule), true);
    view.setUint32(14, serial, true);
    view.setUint32(18, sequence++, true);
    view.setUint8(26, lacing.length);
    const page = joinBytes([header, Uint8Array.from(lacing), ...packets]);
    new DataView(page.buffer).setUint32(22, oggCrc(page), true);
    return page;
  };
}

/** The comment header of an Ogg Opus stream (RFC 7845, 5.2), without comments. */
export function opusTags(vendor: string): Uint8Array {
  const tags = new Uint8Array(16 + vendor.length);
  tags.set(ascii("OpusTags"), 0);
  new DataView(tags.buffer).setUint32(8, vendor.length, true);
  tags.set(ascii(vendor), 12);
  return tags;
}

// Writes a ZIP archive as a stream: sizes follow each file, so nothing is buffered. Supports files of 4 GB and more,
// which fflate's writer does not. Format: PKWARE's APPNOTE.TXT 6.3.10.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";

export type ZipEntry = {
  /** Folders separated by `/`. */
  name: string;
  modifiedAtMs: number;
  /** Expected size; the actual size may differ. */
  sizeBytes: number;
  /** For text. Audio hardly compresses, and a compressor per file would keep the garbage collector busy. */
  isCompressed: boolean;
  bytes: () => AsyncIterable<Uint8Array>;
};

type WrittenEntry = {
  name: Buffer;
  time: Buffer;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  offsetBytes: number;
};

const max16 = 0xffff;
const max32 = 0xffff_ffff;
/** Above this expected size, sizes use 8 bytes (ZIP64). Below 4 GB, so that a file may grow while it is read. */
const zip64FromBytes = 3 * 2 ** 30;
/** Maximum size of a stored block: RFC 1951, 3.2.4. */
const maxStoredBlockBytes = 0xffff;
/** 4.5: supports ZIP64. */
const version = 45;
/** Sizes follow the data (data descriptor); names are UTF-8. */
const generalFlags = 0x0808;
const deflateMethod = 8;

/** @throws if a file grows beyond 4 GB while it is read, and errors of the reader */
export async function* zipArchive(
  entries: AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array, undefined> {
  const writtenEntries: WrittenEntry[] = [];
  let offsetBytes = 0;
  for await (const { name, modifiedAtMs, sizeBytes, isCompressed, bytes } of entries) {
    const entry: WrittenEntry = {
      name: Buffer.from(name),
      time: dosTime(new Date(modifiedAtMs)),
      crc: 0,
      packedBytes: 0,
      sizeBytes: 0,
      offsetBytes,
    };
    const isLarge = sizeBytes >= zip64FromBytes;
    const header = localHeader(entry, isLarge);
    yield header;
    const counted = countBytes(bytes(), entry);
    for await (const packed of isCompressed ? deflate(counted) : storedBlocks(counted)) {
      entry.packedBytes += packed.length;
      yield packed;
    }
    if (!isLarge && Math.max(entry.sizeBytes, entry.packedBytes) >= max32)
      throw new Error("a file grew too large while it was put into an archive");
    const trailer = isLarge
      ? Buffer.concat([
          u32(0x08074b50),
          u32(entry.crc),
          u64(entry.packedBytes),
          u64(entry.sizeBytes),
        ])
      : Buffer.concat([
          u32(0x08074b50),
          u32(entry.crc),
          u32(entry.packedBytes),
          u32(entry.sizeBytes),
        ]);
    yield trailer;
    offsetBytes += header.length + entry.packedBytes + trailer.length;
    writtenEntries.push(entry);
  }
  const directory = Buffer.concat(writtenEntries.map(directoryEntry));
  yield directory;
  yield endOfDirectory(writtenEntries.length, directory.length, offsetBytes);
  return undefined;
}

async function* countBytes(
  bytes: AsyncIterable<Uint8Array>,
  entry: WrittenEntry,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    entry.crc = crc32(chunk, entry.crc);
    entry.sizeBytes += chunk.length;
    yield chunk;
  }
}

async function* deflate(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const packed = createDeflateRaw({ level: constants.Z_BEST_SPEED });
  const ended = pipeline(Readable.from(bytes, { objectMode: false }), packed);
  // The same error is thrown by the iteration below.
  ended.catch(() => {});
  yield* packed as AsyncIterable<Buffer>;
  await ended;
}

/**
 * The deflate format without compression. Method "stored" would need the size in advance: readers of a stream could not
 * find its end.
 */
async function* storedBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; start += maxStoredBlockBytes) {
      const block = chunk.subarray(start, start + maxStoredBlockBytes);
      yield storedBlockHeader(block.length, false);
      yield block;
    }
  }
  yield storedBlockHeader(0, true);
}

/** Bit 0 marks the last block, bits 1 and 2 its type, 0 for stored; then the length and its complement. */
const storedBlockHeader = (lengthBytes: number, isLast: boolean): Buffer =>
  Buffer.concat([Buffer.of(isLast ? 1 : 0), u16(lengthBytes), u16(~lengthBytes & max16)]);

function localHeader({ name, time }: WrittenEntry, isLarge: boolean): Buffer {
  const extra = isLarge ? Buffer.concat([u16(1), u16(16), u64(0), u64(0)]) : Buffer.alloc(0);
  const size = u32(isLarge ? max32 : 0);
  return Buffer.concat([
    u32(0x04034b50),
    u16(version),
    u16(generalFlags),
    u16(deflateMethod),
    time,
    u32(0),
    size,
    size,
    u16(name.length),
    u16(extra.length),
    name,
    extra,
  ]);
}

function directoryEntry({
  name,
  time,
  crc,
  packedBytes,
  sizeBytes,
  offsetBytes,
}: WrittenEntry): Buffer {
  const large = [sizeBytes, packedBytes, offsetBytes].filter((value) => value >= max32);
  const extra =
    large.length === 0
      ? Buffer.alloc(0)
      : Buffer.concat([u16(1), u16(large.length * 8), ...large.map(u64)]);
  // "Made by Unix", so that the file mode is used: readable and writable by the owner.
  return Buffer.concat([
    u32(0x02014b50),
    u16(0x0300 | version),
    u16(version),
    u16(generalFlags),
    u16(deflateMethod),
    time,
    u32(crc),
    u32(capTo32Bits(packedBytes)),
    u32(capTo32Bits(sizeBytes)),
    u16(name.length),
    u16(extra.length),
    u16(0),
    u16(0),
    u16(0),
    u32((0o100600 << 16) >>> 0),
    u32(capTo32Bits(offsetBytes)),
    name,
    extra,
  ]);
}

function endOfDirectory(count: number, sizeBytes: number, offsetBytes: number): Buffer {
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(Math.min(count, max16)),
    u16(Math.min(count, max16)),
    u32(capTo32Bits(sizeBytes)),
    u32(capTo32Bits(offsetBytes)),
    u16(0),
  ]);
  if (count < max16 && sizeBytes < max32 && offsetBytes < max32) return end;
  const large = Buffer.concat([
    u32(0x06064b50),
    u64(44),
    u16(0x0300 | version),
    u16(version),
    u32(0),
    u32(0),
    u64(count),
    u64(count),
    u64(sizeBytes),
    u64(offsetBytes),
  ]);
  return Buffer.concat([large, u32(0x07064b50), u32(0), u64(offsetBytes + sizeBytes), u32(1), end]);
}

const capTo32Bits = (value: number): number => Math.min(value, max32);

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** MS-DOS time: local, two-second steps, from 1980. */
function dosTime(date: Date): Buffer {
  const year = Math.max(1980, date.getFullYear());
  return Buffer.concat([
    u16((date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1)),
    u16(((year - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate()),
  ]);
}

// A ZIP archive written while it is read: sizes follow their files, so that nothing is held in memory or on the disk.
// Files of 4 GB and more are allowed, which fflate's writer does not. Format: PKWARE's APPNOTE.TXT 6.3.10.

import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";

export type ZipEntry = {
  /** With `/` between folders. */
  name: string;
  modifiedAtMs: number;
  /** What is expected of it; more or less may come. */
  sizeBytes: number;
  bytes: () => AsyncIterable<Uint8Array>;
};

type Written = {
  name: Buffer;
  time: Buffer;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  at: number;
};

const full16 = 0xffff;
const full32 = 0xffff_ffff;
/** Expected sizes from here on are written in 8 bytes, with room for what may come beyond. */
const largeBytes = 3 * 2 ** 30;
/** What is larger is taken for sound, which shrinks little and takes long for it. */
const mediaBytes = 2 ** 20;
/** 4.5: knows ZIP64. */
const version = 45;
/** Sizes follow the data; names are UTF-8. */
const flags = 0x0808;
const deflated = 8;

/** @throws where a file grew beyond 4 GB while it was read, and whatever reading it throws */
export async function* zipArchive(
  entries: AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array, undefined> {
  const all: Written[] = [];
  let at = 0;
  for await (const { name, modifiedAtMs, sizeBytes, bytes } of entries) {
    const entry: Written = {
      name: Buffer.from(name),
      time: dosTime(new Date(modifiedAtMs)),
      crc: 0,
      packedBytes: 0,
      sizeBytes: 0,
      at,
    };
    const isLarge = sizeBytes >= largeBytes;
    const header = localHeader(entry, isLarge);
    yield header;
    for await (const packed of deflate(
      bytes(),
      entry,
      sizeBytes > mediaBytes ? constants.Z_NO_COMPRESSION : constants.Z_BEST_SPEED,
    )) {
      entry.packedBytes += packed.length;
      yield packed;
    }
    if (!isLarge && Math.max(entry.sizeBytes, entry.packedBytes) >= full32)
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
    at += header.length + entry.packedBytes + trailer.length;
    all.push(entry);
  }
  const directory = Buffer.concat(all.map(directoryEntry));
  yield directory;
  yield endOfDirectory(all.length, directory.length, at);
  return undefined;
}

async function* deflate(
  bytes: AsyncIterable<Uint8Array>,
  entry: Written,
  level: number,
): AsyncGenerator<Buffer> {
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      entry.crc = crc32(chunk, entry.crc);
      entry.sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  const packed = createDeflateRaw({ level });
  const ended = pipeline(Readable.from(bytes, { objectMode: false }), count, packed);
  // A failure comes out of `packed` too.
  ended.catch(() => {});
  yield* packed as AsyncIterable<Buffer>;
  await ended;
}

function localHeader({ name, time }: Written, isLarge: boolean): Buffer {
  const extra = isLarge ? Buffer.concat([u16(1), u16(16), u64(0), u64(0)]) : Buffer.alloc(0);
  const size = u32(isLarge ? full32 : 0);
  return Buffer.concat([
    u32(0x04034b50),
    u16(version),
    u16(flags),
    u16(deflated),
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

function directoryEntry({ name, time, crc, packedBytes, sizeBytes, at }: Written): Buffer {
  const large = [sizeBytes, packedBytes, at].filter((value) => value >= full32);
  const extra =
    large.length === 0
      ? Buffer.alloc(0)
      : Buffer.concat([u16(1), u16(large.length * 8), ...large.map(u64)]);
  // Made by Unix, so that the mode below is believed: a file its owner may read and write.
  return Buffer.concat([
    u32(0x02014b50),
    u16(0x0300 | version),
    u16(version),
    u16(flags),
    u16(deflated),
    time,
    u32(crc),
    u32(capped(packedBytes)),
    u32(capped(sizeBytes)),
    u16(name.length),
    u16(extra.length),
    u16(0),
    u16(0),
    u16(0),
    u32((0o100600 << 16) >>> 0),
    u32(capped(at)),
    name,
    extra,
  ]);
}

function endOfDirectory(count: number, sizeBytes: number, at: number): Buffer {
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(Math.min(count, full16)),
    u16(Math.min(count, full16)),
    u32(capped(sizeBytes)),
    u32(capped(at)),
    u16(0),
  ]);
  if (count < full16 && sizeBytes < full32 && at < full32) return end;
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
    u64(at),
  ]);
  return Buffer.concat([large, u32(0x07064b50), u32(0), u64(at + sizeBytes), u32(1), end]);
}

const capped = (value: number): number => Math.min(value, full32);

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

/** Local time in steps of two seconds, from 1980 on. */
function dosTime(date: Date): Buffer {
  const year = Math.max(1980, date.getFullYear());
  return Buffer.concat([
    u16((date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1)),
    u16(((year - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate()),
  ]);
}

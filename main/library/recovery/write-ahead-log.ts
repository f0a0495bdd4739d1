// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#walformat), read for what its recovery drops without a
// word: everything behind the first frame that does not fit.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The lowest bit says in which order checksums take bytes. */
const magic = 0x377f0682;

type Sums = readonly [number, number];
type Header = { pageBytes: number; salts: bigint; isLittleEndian: boolean; sums: Sums };

/** Of the log beside a library: does it hold committed changes that SQLite cannot reach? Reads all of it, a frame at a time. */
export function hasUnreachableCommits(libraryPath: string): boolean {
  // Another process may be writing: what it had not finished at the first look, it has at the second.
  return hasCommitBehindDamage(libraryPath) && hasCommitBehindDamage(libraryPath);
}

function hasCommitBehindDamage(libraryPath: string): boolean {
  const path = `${libraryPath}-wal`;
  if (!existsSync(path)) return false;
  const file = openSync(path, "r");
  try {
    const bytes = new DataView(new ArrayBuffer(headerBytes));
    if (!fill(file, bytes, 0)) return false;
    const header = parseHeader(bytes);
    const pageBytes = header?.pageBytes ?? pageBytesOf(libraryPath);
    return isPageSize(pageBytes) && isCommitBehindDamage(file, header, pageBytes);
  } finally {
    closeSync(file);
  }
}

/** @param header undefined: damaged, so that every frame is behind damage */
function isCommitBehindDamage(
  file: number,
  header: Header | undefined,
  pageBytes: number,
): boolean {
  const frameBytes = frameHeaderBytes + pageBytes;
  // SQLite leaves a frame that is not complete aside.
  const endAt = fstatSync(file).size - frameBytes;
  const frame = new DataView(new ArrayBuffer(frameHeaderBytes));
  for (
    let at = header === undefined ? headerBytes : firstDamagedAt(file, header, endAt) + frameBytes;
    at <= endAt && fill(file, frame, at);
    at += frameBytes
  ) {
    // Those of an earlier generation, which the file keeps until they are written over, have other salts.
    if (isCommit(frame) && (header === undefined || saltsOf(frame) === header.salts)) return true;
  }
  return false;
}

function firstDamagedAt(file: number, header: Header, endAt: number): number {
  const frame = new DataView(new ArrayBuffer(frameHeaderBytes + header.pageBytes));
  let at = headerBytes;
  for (
    let sums: Sums | undefined = header.sums;
    at <= endAt && fill(file, frame, at);
    at += frame.byteLength
  ) {
    sums = sumsWith(sums, frame, header);
    if (sums === undefined) break;
  }
  return at;
}

/** @returns undefined where SQLite takes the log for empty */
function parseHeader(bytes: DataView): Header | undefined {
  const format = bytes.getUint32(0);
  const pageBytes = bytes.getUint32(8);
  const isLittleEndian = format === magic;
  if ((!isLittleEndian && format !== magic + 1) || !isPageSize(pageBytes)) return undefined;
  const sums = checksum([0, 0], bytes, 0, 24, isLittleEndian);
  return isStored(sums, bytes, 24)
    ? { pageBytes, salts: bytes.getBigUint64(16), isLittleEndian, sums }
    : undefined;
}

/** The log's checksum up to this frame; undefined where the frame does not fit. */
function sumsWith(
  before: Sums,
  frame: DataView,
  { salts, isLittleEndian }: Header,
): Sums | undefined {
  if (saltsOf(frame) !== salts) return undefined;
  const sums = checksum(
    checksum(before, frame, 0, 8, isLittleEndian),
    frame,
    frameHeaderBytes,
    frame.byteLength,
    isLittleEndian,
  );
  return isStored(sums, frame, 16) ? sums : undefined;
}

const saltsOf = (frame: DataView): bigint => frame.getBigUint64(8);

/** Only the last frame of a transaction has the library's size in pages; its own page is one of them. */
function isCommit(frame: DataView): boolean {
  const page = frame.getUint32(0);
  return page > 0 && page <= frame.getUint32(4);
}

const isStored = ([first, second]: Sums, bytes: DataView, at: number): boolean =>
  bytes.getInt32(at) === first && bytes.getInt32(at + 4) === second;

function checksum(
  [first, second]: Sums,
  bytes: DataView,
  from: number,
  to: number,
  isLittleEndian: boolean,
): Sums {
  for (let at = from; at < to; at += 8) {
    first = (first + bytes.getInt32(at, isLittleEndian) + second) | 0;
    second = (second + bytes.getInt32(at + 4, isLittleEndian) + first) | 0;
  }
  return [first, second];
}

const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;

/** As the library's own file says; anything else where that is damaged too. */
function pageBytesOf(libraryPath: string): number {
  const file = openSync(libraryPath, "r");
  try {
    const bytes = new DataView(new ArrayBuffer(2));
    const size = fill(file, bytes, 16) ? bytes.getUint16(0) : 0;
    return size === 1 ? 65_536 : size;
  } finally {
    closeSync(file);
  }
}

/** @returns whether there was so much */
const fill = (file: number, bytes: DataView, at: number): boolean =>
  readSync(file, bytes, 0, bytes.byteLength, at) === bytes.byteLength;

// SQLite's write-ahead log (https://sqlite.org/fileformat2.html#walformat), read for what its recovery drops without a
// word: everything behind the first frame that does not fit.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The lowest bit says in which order checksums take bytes. */
const littleEndianMagic = 0x377f0682;

type Checksum = readonly [number, number];
type Header = {
  pageBytes: number;
  salts: bigint;
  isLittleEndian: boolean;
  runningChecksum: Checksum;
};

/** Of the log beside a library: does it hold committed changes that SQLite cannot reach? Reads all of it, a frame at a time. */
export function hasUnreachableCommits(libraryPath: string): boolean {
  // Another process may be writing: what it had not finished at the first look, it has at the second.
  return hasCommitAfterDamage(libraryPath) && hasCommitAfterDamage(libraryPath);
}

function hasCommitAfterDamage(libraryPath: string): boolean {
  const path = `${libraryPath}-wal`;
  if (!existsSync(path)) return false;
  const file = openSync(path, "r");
  try {
    const bytes = new DataView(new ArrayBuffer(headerBytes));
    if (!readFully(file, bytes, 0)) return false;
    const header = parseHeader(bytes);
    const pageBytes = header?.pageBytes ?? readPageBytes(libraryPath);
    return isPageSize(pageBytes) && scanForCommitAfterDamage(file, header, pageBytes);
  } finally {
    closeSync(file);
  }
}

/** @param header undefined: damaged, so that every frame is behind damage */
function scanForCommitAfterDamage(
  file: number,
  header: Header | undefined,
  pageBytes: number,
): boolean {
  const frameBytes = frameHeaderBytes + pageBytes;
  // SQLite leaves a frame that is not complete aside.
  const lastFrameOffset = fstatSync(file).size - frameBytes;
  const frame = new DataView(new ArrayBuffer(frameHeaderBytes));
  for (
    let offset =
      header === undefined
        ? headerBytes
        : firstDamagedOffset(file, header, lastFrameOffset) + frameBytes;
    offset <= lastFrameOffset && readFully(file, frame, offset);
    offset += frameBytes
  ) {
    // Those of an earlier generation, which the file keeps until they are written over, have other salts.
    if (isCommit(frame) && (header === undefined || readSalts(frame) === header.salts)) return true;
  }
  return false;
}

function firstDamagedOffset(file: number, header: Header, lastFrameOffset: number): number {
  const frame = new DataView(new ArrayBuffer(frameHeaderBytes + header.pageBytes));
  let offset = headerBytes;
  for (
    let runningChecksum: Checksum | undefined = header.runningChecksum;
    offset <= lastFrameOffset && readFully(file, frame, offset);
    offset += frame.byteLength
  ) {
    runningChecksum = extendChecksum(runningChecksum, frame, header);
    if (runningChecksum === undefined) break;
  }
  return offset;
}

/** @returns undefined where SQLite takes the log for empty */
function parseHeader(bytes: DataView): Header | undefined {
  const format = bytes.getUint32(0);
  const pageBytes = bytes.getUint32(8);
  const isLittleEndian = format === littleEndianMagic;
  if ((!isLittleEndian && format !== littleEndianMagic + 1) || !isPageSize(pageBytes))
    return undefined;
  const runningChecksum = checksum([0, 0], bytes, 0, 24, isLittleEndian);
  return matchesStored(runningChecksum, bytes, 24)
    ? { pageBytes, salts: bytes.getBigUint64(16), isLittleEndian, runningChecksum }
    : undefined;
}

/** The log's checksum up to this frame; undefined where the frame does not fit. */
function extendChecksum(
  previous: Checksum,
  frame: DataView,
  { salts, isLittleEndian }: Header,
): Checksum | undefined {
  if (readSalts(frame) !== salts) return undefined;
  const runningChecksum = checksum(
    checksum(previous, frame, 0, 8, isLittleEndian),
    frame,
    frameHeaderBytes,
    frame.byteLength,
    isLittleEndian,
  );
  return matchesStored(runningChecksum, frame, 16) ? runningChecksum : undefined;
}

const readSalts = (frame: DataView): bigint => frame.getBigUint64(8);

/** Only the last frame of a transaction has the library's size in pages; its own page is one of them. */
function isCommit(frame: DataView): boolean {
  const page = frame.getUint32(0);
  return page > 0 && page <= frame.getUint32(4);
}

const matchesStored = ([first, second]: Checksum, bytes: DataView, offset: number): boolean =>
  bytes.getInt32(offset) === first && bytes.getInt32(offset + 4) === second;

function checksum(
  [first, second]: Checksum,
  bytes: DataView,
  from: number,
  to: number,
  isLittleEndian: boolean,
): Checksum {
  for (let offset = from; offset < to; offset += 8) {
    first = (first + bytes.getInt32(offset, isLittleEndian) + second) | 0;
    second = (second + bytes.getInt32(offset + 4, isLittleEndian) + first) | 0;
  }
  return [first, second];
}

const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;

/** As the library's own file says; anything else where that is damaged too. */
function readPageBytes(libraryPath: string): number {
  const file = openSync(libraryPath, "r");
  try {
    const bytes = new DataView(new ArrayBuffer(2));
    const size = readFully(file, bytes, 16) ? bytes.getUint16(0) : 0;
    return size === 1 ? 65_536 : size;
  } finally {
    closeSync(file);
  }
}

/** @returns whether there was so much */
const readFully = (file: number, bytes: DataView, offset: number): boolean =>
  readSync(file, bytes, 0, bytes.byteLength, offset) === bytes.byteLength;

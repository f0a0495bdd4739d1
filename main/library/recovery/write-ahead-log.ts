// Reads SQLite's write-ahead log (https://sqlite.org/fileformat2.html#walformat) to detect what SQLite's recovery drops
// silently: everything after the first invalid frame.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The lowest bit is the byte order of checksums. */
const littleEndianMagic = 0x377f0682;

type Checksum = readonly [number, number];
type Header = {
  pageBytes: number;
  salts: bigint;
  isLittleEndian: boolean;
  runningChecksum: Checksum;
};

/**
 * True if the library's log contains committed changes that SQLite cannot reach. Reads the whole log, frame by frame.
 */
export function hasUnreachableCommits(libraryPath: string): boolean {
  // Check twice: at the first attempt, another process may be in the middle of a write.
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

/** @param header undefined if damaged: then every frame follows damage */
function scanForCommitAfterDamage(
  file: number,
  header: Header | undefined,
  pageBytes: number,
): boolean {
  const frameBytes = frameHeaderBytes + pageBytes;
  // SQLite ignores an incomplete frame.
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
    // Frames of an earlier generation have other salts and stay in the file until they are overwritten.
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

/** @returns undefined if SQLite would treat the log as empty */
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

/** Checksum of the log including this frame; undefined if the frame is invalid. */
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

/** Only the last frame of a transaction contains the database size in pages, which is at least its own page number. */
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

/** Page size from the library's header; an invalid value if that is damaged too. */
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

/** @returns whether enough bytes could be read */
const readFully = (file: number, bytes: DataView, offset: number): boolean =>
  readSync(file, bytes, 0, bytes.byteLength, offset) === bytes.byteLength;

// Chapters of an MP3 file: frames CHAP and CTOC of its ID3v2.4 tag (ID3v2 Chapter Frame Addendum 1.0, 2005). FFmpeg
// writes the tag with reserved space, since node-av has no API for chapters. Pure.

import { joinBytes } from "../audio/codec/framing.ts";
import type { Chapter } from "./mp4-chapters.ts";

const headerBytes = 10;
/** The count in the table is one byte. Players show chapters beyond it all the same. */
const maxTableEntries = 255;

/** Encodes the frames, to be placed after the other frames of a tag. */
export function encodeChapterFrames(chapters: readonly Chapter[]): Uint8Array {
  const ids = chapters.map((_, index) => `chp${index}`);
  // Flags: top level, ordered.
  const tocFrame = encodeFrame(
    "CTOC",
    joinBytes([
      nullTerminated("toc"),
      Uint8Array.of(3, Math.min(ids.length, maxTableEntries)),
      ...ids.slice(0, maxTableEntries).map(nullTerminated),
    ]),
  );
  const chapFrames = chapters.map(({ title, startSec, endSec }, index) =>
    // Byte offsets are unset (0xffffffff), so that times are used.
    encodeFrame(
      "CHAP",
      joinBytes([
        nullTerminated(ids[index] ?? ""),
        uint32(Math.round(startSec * 1000)),
        uint32(Math.round(endSec * 1000)),
        uint32(0xffffffff),
        uint32(0xffffffff),
        encodeFrame("TIT2", joinBytes([Uint8Array.of(utf8Encoding), nullTerminated(title)])),
      ]),
    ),
  );
  return joinBytes([tocFrame, ...chapFrames]);
}

/**
 * Finds `sizeBytes` of padding after the last frame of a tag.
 * @param tag the start of the file, with the whole tag @throws Error if the padding is too small
 */
export function findPaddingOffset(tag: Uint8Array, sizeBytes: number): number {
  let at = headerBytes;
  while (at + headerBytes <= tag.length && tag[at] !== 0)
    at += headerBytes + readSyncSafe(tag, at + 4);
  if (tagSizeBytes(tag) - at < sizeBytes)
    throw new Error("the tag of the MP3 file has no room for its chapters");
  return at;
}

/** Size of the whole tag, from its first bytes. @throws Error if there is no ID3v2.4 tag */
export function tagSizeBytes(header: Uint8Array): number {
  if (String.fromCharCode(...header.subarray(0, 3)) !== "ID3" || header[3] !== 4)
    throw new Error("the MP3 file has no ID3v2.4 tag");
  return headerBytes + readSyncSafe(header, 6);
}

/** Text encoding byte of ID3v2.4. */
const utf8Encoding = 3;

const nullTerminated = (text: string): Uint8Array =>
  new TextEncoder().encode(`${text.replaceAll("\0", "")}\0`);

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** Seven bits per byte, so that a size cannot be mistaken for the start of audio data. */
const encodeSyncSafe = (value: number): Uint8Array =>
  Uint8Array.of((value >> 21) & 0x7f, (value >> 14) & 0x7f, (value >> 7) & 0x7f, value & 0x7f);
const readSyncSafe = (bytes: Uint8Array, at: number): number =>
  [0, 1, 2, 3].reduce((value, index) => (value << 7) | ((bytes[at + index] ?? 0) & 0x7f), 0);

function encodeFrame(id: string, body: Uint8Array): Uint8Array {
  return joinBytes([
    Uint8Array.from(id, (letter) => letter.charCodeAt(0)),
    encodeSyncSafe(body.length),
    Uint8Array.of(0, 0),
    body,
  ]);
}

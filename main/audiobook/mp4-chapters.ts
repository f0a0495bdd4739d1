// Turns a title track of an MPEG-4 audio file into chapters, since node-av has no API for them. Writes both forms that
// players support: QuickTime's chapter track (QuickTime File Format, "Chapter Lists") and Nero's list `chpl`. Changes
// only the `moov` box. Pure.

import { joinBytes } from "../audio/codec/framing.ts";

export type Chapter = { title: string; startSec: number; endSec: number };

/** FFmpeg's default QuickTime text sample description: no style, a font table with one empty name. */
export const textSampleDescription = Uint8Array.of(
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  13,
  0x66,
  0x74,
  0x61,
  0x62,
  0,
  1,
  0,
  1,
  0,
);

/** A title as a QuickTime text sample: length, UTF-8 text, and a box that declares the encoding. */
export function encodeTitleSample(title: string): Uint8Array {
  const text = new TextEncoder().encode(title).subarray(0, 0xffff);
  return joinBytes([
    Uint8Array.of(text.length >> 8, text.length & 0xff),
    text,
    Uint8Array.of(0, 0, 0, 12),
    ascii("encd"),
    Uint8Array.of(0, 0, 1, 0),
  ]);
}

/**
 * @param moov the whole box, with an audio track and a text track
 * @returns the new box, slightly longer, so everything after it moves
 */
export function addChapters(moov: Uint8Array, chapters: readonly Chapter[]): Uint8Array {
  const boxes = parseBoxes(moov.subarray(headerBytes));
  const tracks = boxes.filter(({ type }) => type === "trak");
  const audioTrack = tracks.find((track) => readHandlerType(track) === "soun");
  const titleTrack = tracks.find((track) => readHandlerType(track) === "text");
  if (audioTrack === undefined || titleTrack === undefined)
    throw new Error("chapters need a sound track and a text track");
  const chapterReference = encodeBox("tref", encodeBox("chap", uint32(readTrackId(titleTrack))));
  const chapterListBox = encodeChapterList(chapters);
  const parts = boxes.map((current) => {
    if (current === audioTrack) return encodeBox("trak", current.body, chapterReference);
    if (current === titleTrack)
      return encodeBox(
        "trak",
        ...parseBoxes(current.body).map((childBox) =>
          childBox.type === "tkhd"
            ? encodeBox("tkhd", disableTrack(childBox.body))
            : childBox.bytes,
        ),
      );
    return current.type === "udta"
      ? encodeBox("udta", current.body, chapterListBox)
      : current.bytes;
  });
  return encodeBox(
    "moov",
    ...parts,
    ...(boxes.some(({ type }) => type === "udta") ? [] : [encodeBox("udta", chapterListBox)]),
  );
}

const headerBytes = 8;
const maxListEntries = 255;

type Box = {
  type: string;
  /** The whole box with its header. */ bytes: Uint8Array;
  body: Uint8Array;
};

/** @throws Error if the sizes are inconsistent */
export function parseBoxes(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const sizeBytes = dataView(bytes).getUint32(at);
    if (sizeBytes < headerBytes || at + sizeBytes > bytes.length)
      throw new Error("a box of the MPEG-4 file has a wrong size");
    const boxBytes = bytes.subarray(at, at + sizeBytes);
    boxes.push({
      type: String.fromCharCode(...boxBytes.subarray(4, headerBytes)),
      bytes: boxBytes,
      body: boxBytes.subarray(headerBytes),
    });
    at += sizeBytes;
  }
  return boxes;
}

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const ascii = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  dataView(bytes).setUint32(0, value);
  return bytes;
}

const encodeBox = (type: string, ...parts: Uint8Array[]): Uint8Array =>
  joinBytes([
    uint32(parts.reduce((sum, part) => sum + part.length, headerBytes)),
    ascii(type),
    ...parts,
  ]);

const findChild = ({ body }: Box, type: string): Box | undefined =>
  parseBoxes(body).find((childBox) => childBox.type === type);

function readHandlerType(track: Box): string {
  const media = findChild(track, "mdia");
  const handler = media && findChild(media, "hdlr");
  return handler === undefined ? "" : String.fromCharCode(...handler.body.subarray(8, 12));
}

/** ISO 14496-12, 8.3.2: after version, flags and two times, which are longer in version 1. */
function readTrackId(track: Box): number {
  const header = findChild(track, "tkhd");
  if (header === undefined) throw new Error("a track of the MPEG-4 file has no header");
  return dataView(header.body).getUint32(header.body[0] === 1 ? 20 : 12);
}

/** Clears the enabled flag: otherwise players would show the titles like subtitles. */
function disableTrack(trackHeader: Uint8Array): Uint8Array {
  const updated = Uint8Array.from(trackHeader);
  updated[3] = (updated[3] ?? 0) & ~1;
  return updated;
}

/** Version 1 and flags, four reserved bytes, the count, then per chapter its start in units of 100 ns and its title. */
function encodeChapterList(chapters: readonly Chapter[]): Uint8Array {
  const rows = chapters.slice(0, maxListEntries).map(({ title, startSec }) => {
    const text = truncateUtf8(new TextEncoder().encode(title), 255);
    const row = new Uint8Array(9 + text.length);
    dataView(row).setBigUint64(0, BigInt(Math.round(startSec * 1e7)));
    row[8] = text.length;
    row.set(text, 9);
    return row;
  });
  return encodeBox("chpl", Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, rows.length), ...rows);
}

/** Does not cut within a character. */
function truncateUtf8(utf8: Uint8Array, maxBytes: number): Uint8Array {
  let length = Math.min(utf8.length, maxBytes);
  while (length > 0 && length < utf8.length && ((utf8[length] ?? 0) & 0xc0) === 0x80) length -= 1;
  return utf8.subarray(0, length);
}

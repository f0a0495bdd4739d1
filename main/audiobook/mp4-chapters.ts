// Makes a track of titles the chapters of an MPEG-4 audio file: FFmpeg's muxer writes the track, but node-av has no
// way to tell it that these are chapters. Two forms, since players know one or the other: QuickTime's chapter track
// (QuickTime File Format, "Chapter Lists") and Nero's list `chpl`. Works on the `moov` box alone. Pure.

import { joinBytes } from "../audio/codec/framing.ts";

export type Chapter = { title: string; startSec: number; endSec: number };

/** Of FFmpeg's stand-in for a QuickTime text sample description: no style, a font table with one empty name. */
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

/** A title as a QuickTime text sample: its length, UTF-8, and the box that says so. */
export function titleSample(title: string): Uint8Array {
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
 * @param moov the whole box, with a sound track and a text track
 * @returns the box to stand in its place, a little longer; whatever lies behind it moves
 */
export function withChapters(moov: Uint8Array, chapters: readonly Chapter[]): Uint8Array {
  const boxes = boxesIn(moov.subarray(headerBytes));
  const tracks = boxes.filter(({ type }) => type === "trak");
  const sound = tracks.find((track) => handlerOf(track) === "soun");
  const titles = tracks.find((track) => handlerOf(track) === "text");
  if (sound === undefined || titles === undefined)
    throw new Error("chapters need a sound track and a text track");
  const reference = box("tref", box("chap", uint32(trackId(titles))));
  const list = chapterList(chapters);
  const parts = boxes.map((each) => {
    if (each === sound) return box("trak", each.body, reference);
    if (each === titles)
      return box(
        "trak",
        ...boxesIn(each.body).map((inner) =>
          inner.type === "tkhd" ? box("tkhd", hidden(inner.body)) : inner.bytes,
        ),
      );
    return each.type === "udta" ? box("udta", each.body, list) : each.bytes;
  });
  return box(
    "moov",
    ...parts,
    ...(boxes.some(({ type }) => type === "udta") ? [] : [box("udta", list)]),
  );
}

const headerBytes = 8;
const maxInList = 255;

type Box = { type: string; /** All of it. */ bytes: Uint8Array; body: Uint8Array };

/** @throws Error where the sizes do not fit */
export function boxesIn(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const sizeBytes = viewOf(bytes).getUint32(at);
    if (sizeBytes < headerBytes || at + sizeBytes > bytes.length)
      throw new Error("a box of the MPEG-4 file has a wrong size");
    const whole = bytes.subarray(at, at + sizeBytes);
    boxes.push({
      type: String.fromCharCode(...whole.subarray(4, headerBytes)),
      bytes: whole,
      body: whole.subarray(headerBytes),
    });
    at += sizeBytes;
  }
  return boxes;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const ascii = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}

const box = (type: string, ...parts: Uint8Array[]): Uint8Array =>
  joinBytes([
    uint32(parts.reduce((sum, part) => sum + part.length, headerBytes)),
    ascii(type),
    ...parts,
  ]);

const child = ({ body }: Box, type: string): Box | undefined =>
  boxesIn(body).find((inner) => inner.type === type);

function handlerOf(track: Box): string {
  const media = child(track, "mdia");
  const handler = media && child(media, "hdlr");
  return handler === undefined ? "" : String.fromCharCode(...handler.body.subarray(8, 12));
}

/** ISO 14496-12, 8.3.2: behind version, flags and two times, which are longer in version 1. */
function trackId(track: Box): number {
  const header = child(track, "tkhd");
  if (header === undefined) throw new Error("a track of the MPEG-4 file has no header");
  return viewOf(header.body).getUint32(header.body[0] === 1 ? 20 : 12);
}

/** Not enabled: players would show it like subtitles. */
function hidden(trackHeader: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(trackHeader);
  changed[3] = (changed[3] ?? 0) & ~1;
  return changed;
}

/** Version 1: a reserved byte in four, the count, then for each its start in 100 ns and its title. */
function chapterList(chapters: readonly Chapter[]): Uint8Array {
  const rows = chapters.slice(0, maxInList).map(({ title, startSec }) => {
    const text = cut(new TextEncoder().encode(title), 255);
    const row = new Uint8Array(9 + text.length);
    viewOf(row).setBigUint64(0, BigInt(Math.round(startSec * 1e7)));
    row[8] = text.length;
    row.set(text, 9);
    return row;
  });
  return box("chpl", Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, rows.length), ...rows);
}

/** Not within a character. */
function cut(utf8: Uint8Array, maxBytes: number): Uint8Array {
  let length = Math.min(utf8.length, maxBytes);
  while (length > 0 && length < utf8.length && ((utf8[length] ?? 0) & 0xc0) === 0x80) length -= 1;
  return utf8.subarray(0, length);
}

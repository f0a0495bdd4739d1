// Writes chapters into a file that FFmpeg has finished.

import { closeSync, fstatSync, readSync } from "node:fs";
import { ftruncateSync, openForWritingSync, writeSync } from "../storage/disk.ts";
import { findPaddingOffset, tagSizeBytes } from "./id3-chapters.ts";
import { addChapters, type Chapter, parseBoxes } from "./mp4-chapters.ts";

/** Writes into the space that was reserved in the tag at the start of the file. */
export function writeId3Frames(path: string, id3Frames: Uint8Array): void {
  const file = openForWritingSync(path, "r+");
  try {
    const tagHeader = Buffer.alloc(10);
    readSync(file, tagHeader, 0, tagHeader.length, 0);
    const tag = Buffer.alloc(tagSizeBytes(tagHeader));
    readSync(file, tag, 0, tag.length, 0);
    writeSync(file, id3Frames, findPaddingOffset(tag, id3Frames.length));
  } finally {
    closeSync(file);
  }
}

/** The `moov` box is the last one of the file, so it may grow. */
export function writeMp4Chapters(path: string, chapters: readonly Chapter[]): void {
  const file = openForWritingSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    const header = Buffer.alloc(16);
    for (let at = 0; at < size;) {
      readSync(file, header, 0, 16, at);
      const size32 = header.readUInt32BE(0);
      const sizeBytes = size32 === 1 ? Number(header.readBigUInt64BE(8)) : size32;
      if (sizeBytes < 8) break;
      if (header.toString("latin1", 4, 8) === "moov") {
        const moov = Buffer.alloc(sizeBytes);
        readSync(file, moov, 0, sizeBytes, at);
        const trailing = Buffer.alloc(size - at - sizeBytes);
        readSync(file, trailing, 0, trailing.length, at + sizeBytes);
        // Only padding may follow, since no offset points to it.
        if (parseBoxes(trailing).some(({ type }) => type !== "free")) break;
        const updatedMoov = addChapters(moov, chapters);
        writeSync(file, updatedMoov, at);
        ftruncateSync(file, at + updatedMoov.length);
        return;
      }
      at += sizeBytes;
    }
    throw new Error("the MPEG-4 file ends otherwise than FFmpeg writes it");
  } finally {
    closeSync(file);
  }
}

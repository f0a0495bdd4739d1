// Counts the entries that an MP4 file's tables claim before FFmpeg builds an index from them: FFmpeg trusts a table
// that claims 80 million samples of one byte in a file of 600 bytes, and allocates 3 GB. Linear in the number of boxes;
// reads only headers and short lists, never whole tables. Boxes are parsed exactly as FFmpeg does, whatever the first
// bytes are: FFmpeg does not require `ftyp`, and other formats stop the parser at once.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Boxes whose children FFmpeg reads (mov.c, mov_default_parse_table), wherever they occur. */
const containerBoxes: ReadonlySet<string> = new Set([
  "dinf",
  "edts",
  "ilst",
  "mdia",
  "mfra",
  "minf",
  "moof",
  "moov",
  "mvex",
  "schi",
  "sinf",
  "stbl",
  "traf",
  "trak",
  "tref",
  "udta",
  "wave",
]);
/** FFmpeg also reads children of these, after fields of various layouts; no encoder puts a table there. */
const boxesWithoutTables: ReadonlySet<string> = new Set(["iprp", "stsd"]);
const tableNames = ["co64", "ctts", "elst", "sbgp", "stco", "stsc", "stsz", "stts", "stz2", "trun"];
/** Treated as `moov` if their first child is one that starts a movie. */
const moovAliases: ReadonlySet<string> = new Set(["free", "hoov"]);
const firstMovieBoxes: ReadonlySet<string> = new Set(["cmov", "mvhd"]);
/** 24 hours of AAC with the shortest usual frames, plus video. More entries would be an index of several hundred MB. */
const maxIndexEntries = 8_000_000;
const maxBoxes = 2_000_000;
/** Real files are not nested deeper, and FFmpeg itself stops at 10. */
const maxDepth = 16;
/** Bytes read of a box: `stsz` and `trun` have their counts at the start. */
const headerReadBytes = 24;
/** Boxes can be tiny and numerous: one read covers several. */
const blockBytes = 4096;
const maxEdits = 10_000;
const maxTableRuns = 1_000_000;
/** For a `stsd` box, and for data before the first box in `meta`. */
const maxUnparsedBytes = 1_000_000;
/** PCM samples that FFmpeg puts into one entry. */
const pcmSamplesPerEntry = 1024;
/** Handlers that make FFmpeg treat a track as other than audio (mov.c, mov_read_hdlr). */
const nonAudioHandlers = ["clcp", "subp", "vide"];

/** Values claimed by one `trak` box. */
type Track = {
  samples: number;
  edits: number;
  sampleTicks: number;
  chunks: number;
  largestChunk: number;
  handlers: Set<string>;
};

/**
 * @returns whether the tables are possible for a file of this size; false only for an MP4 file with impossible tables
 */
export function areMp4TablesPlausible(path: string): boolean {
  const file = openSync(path, "r");
  try {
    return new TableCounter(file, fstatSync(file).size).isPlausible();
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

class TableCounter {
  readonly #file: number;
  readonly #sizeBytes: number;
  readonly #tracks: Track[] = [];
  #fragmentSamples = 0;
  #boxes = 0;
  #isImpossible = false;
  #block: Buffer = Buffer.alloc(0);
  #blockAt = 0;

  constructor(file: number, sizeBytes: number) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  isPlausible(): boolean {
    this.#walk("root", { from: 0, to: this.#sizeBytes }, 0);
    const entries = this.#tracks.reduce(
      (sum, track) => sum + indexEntries(track),
      this.#fragmentSamples,
    );
    // A sample takes at least one byte of the file. PCM is an exception: one entry covers more bytes.
    return (
      !this.#isImpossible &&
      entries <= maxIndexEntries &&
      entries <= Math.max(this.#sizeBytes, 1000)
    );
  }

  #walk(parent: string, { from, to }: { from: number; to: number }, depth: number): void {
    for (let at = from; at + 8 <= to && !this.#isImpossible;) {
      this.#boxes += 1;
      if (this.#boxes > maxBoxes || depth > maxDepth) this.#isImpossible = true;
      const header = this.#headAt(at);
      if (header.length < 8) return;
      let type = header.toString("latin1", 4, 8);
      let size = header.readUInt32BE(0);
      let headerBytes = 8;
      let extendsToEnd = size === 0;
      if (size === 1 && at + 16 <= to && header.length >= 16) {
        size = Number(header.readBigUInt64BE(8));
        headerBytes = 16;
        extendsToEnd = size === 8;
      }
      if (!extendsToEnd && size < headerBytes) return;
      // A box that extends beyond its parent is read as far as possible.
      const end = extendsToEnd ? to : Math.min(to, at + size);
      const body = { from: at + headerBytes, to: end };
      if (moovAliases.has(type) && firstMovieBoxes.has(header.toString("latin1", 12, 16)))
        type = "moov";
      if (type === "trak" || type === "mdat") {
        // In any other parent, FFmpeg stops reading the parent at such a box.
        if (parent !== "root" && parent !== "moov") return;
        if (type === "trak")
          this.#tracks.push({
            samples: 0,
            edits: 0,
            sampleTicks: 0,
            chunks: 0,
            largestChunk: 0,
            handlers: new Set(),
          });
      }
      if (containerBoxes.has(type)) this.#walk(type, body, depth + 1);
      else if (type === "meta") this.#walkMeta(body, depth + 1);
      else if (boxesWithoutTables.has(type)) this.#mustHoldNoTables(body);
      // A compressed `moov` (QuickTime of the 1990s) can expand to any size.
      else if (type === "cmov") this.#isImpossible = true;
      else this.#count(type, header.subarray(headerBytes), body.from, end - body.from);
      at = end;
    }
  }

  #headAt(at: number): Buffer {
    const length = 16 + headerReadBytes;
    if (at < this.#blockAt || at + length > this.#blockAt + this.#block.length) {
      this.#block = readAt(this.#file, at, blockBytes);
      this.#blockAt = at;
    }
    return this.#block.subarray(at - this.#blockAt, at - this.#blockAt + length);
  }

  /** Its children start with `hdlr`, at any offset. */
  #walkMeta({ from, to }: { from: number; to: number }, depth: number): void {
    const bytes = readAt(this.#file, from, Math.min(to - from, maxUnparsedBytes));
    for (let at = 4; at + 4 <= bytes.length; at += 4) {
      if (bytes.toString("latin1", at, at + 4) !== "hdlr") continue;
      this.#walk("meta", { from: from + at - 4, to }, depth);
      return;
    }
    if (to - from > maxUnparsedBytes) this.#isImpossible = true;
  }

  #mustHoldNoTables({ from, to }: { from: number; to: number }): void {
    const bytes = readAt(this.#file, from, Math.min(to - from, maxUnparsedBytes));
    if (
      to - from > maxUnparsedBytes ||
      tableNames.some((name) => bytes.includes(name, 0, "latin1"))
    )
      this.#isImpossible = true;
  }

  /**
   * @param header the first bytes of the box
   * @param at offset of its content in the file, which has `bodyBytes` there
   */
  #count(type: string, header: Buffer, at: number, bodyBytes: number): void {
    const track = this.#tracks.at(-1);
    // FFmpeg reads fields beyond the end of a box that is too short for them.
    const readField = (offset: number): number =>
      offset + 4 <= header.length ? header.readUInt32BE(offset) : 0;
    const requireFit = (count: number, bytesEach: number): void => {
      if (count * bytesEach > bodyBytes) this.#isImpossible = true;
    };
    if (type === "trun") {
      const flags = readField(0) & 0xffffff;
      const samples = readField(4);
      requireFit(
        samples,
        4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length,
      );
      this.#fragmentSamples += samples;
    }
    if (track === undefined) return;
    if (type === "stsz") {
      const sampleBytes = readField(4);
      const samples = readField(8);
      if (sampleBytes === 0) requireFit(samples, 4);
      track.samples += samples;
    } else if (type === "stz2") {
      requireFit(readField(8), (readField(4) & 0xff) / 8);
      track.samples += readField(8);
    } else if (type === "stts" || type === "ctts") {
      requireFit(readField(4), 8);
      if (type === "stts") track.sampleTicks = readField(4) === 1 ? readField(12) : 0;
      else this.#countRuns({ at: at + 8, runs: readField(4) });
    } else if (type === "sbgp") {
      const countAt = readField(0) >>> 24 === 1 ? 12 : 8;
      requireFit(readField(countAt), 8);
      this.#countRuns({ at: at + countAt + 4, runs: readField(countAt) });
    } else if (type === "hdlr") {
      track.handlers.add(header.toString("latin1", 8, 12));
    } else if (type === "stco" || type === "stss" || type === "co64") {
      requireFit(readField(4), type === "co64" ? 8 : 4);
      if (type !== "stss") track.chunks += readField(4);
    } else if (type === "stsc") this.#countChunks(track, readField(4), at, requireFit);
    else if (type === "elst")
      this.#countEdits(track, readField(0) >>> 24, readField(4), at, requireFit);
  }

  /**
   * FFmpeg expands composition offsets and sample groups to one entry per sample if a track has both (mov.c,
   * build_open_gop_key_points).
   */
  #countRuns({ at, runs }: { at: number; runs: number }): void {
    if (runs > maxTableRuns) this.#isImpossible = true;
    if (this.#isImpossible) return;
    const table = readAt(this.#file, at, runs * 8);
    let samples = 0;
    for (let run = 0; run + 8 <= table.length; run += 8) samples += table.readUInt32BE(run);
    if (samples > maxIndexEntries) this.#isImpossible = true;
  }

  #countChunks(
    track: Track,
    runs: number,
    at: number,
    requireFit: (count: number, bytesEach: number) => void,
  ): void {
    requireFit(runs, 12);
    if (runs > maxTableRuns) this.#isImpossible = true;
    if (this.#isImpossible) return;
    const table = readAt(this.#file, at + 8, runs * 12);
    for (let run = 0; run + 12 <= table.length; run += 12)
      track.largestChunk = Math.max(track.largestChunk, table.readUInt32BE(run + 4));
  }

  /** Each edit adds the samples it plays to the index again; an empty one (position −1) adds none. */
  #countEdits(
    track: Track,
    version: number,
    edits: number,
    at: number,
    requireFit: (count: number, bytesEach: number) => void,
  ): void {
    const bytesEach = version === 1 ? 20 : 12;
    requireFit(edits, bytesEach);
    if (edits > maxEdits) this.#isImpossible = true;
    if (this.#isImpossible) return;
    const table = readAt(this.#file, at + 8, edits * bytesEach);
    for (let edit = 0; edit + bytesEach <= table.length; edit += bytesEach) {
      const mediaTime =
        version === 1 ? table.readBigInt64BE(edit + 8) : table.readInt32BE(edit + 4);
      if (mediaTime >= 0) track.edits += 1;
    }
  }
}

/** Entries of FFmpeg's index (mov.c, mov_build_index and mov_fix_index). */
function indexEntries({
  samples,
  edits,
  sampleTicks,
  chunks,
  largestChunk,
  handlers,
}: Track): number {
  const isAudio =
    handlers.has("soun") && !nonAudioHandlers.some((handler) => handlers.has(handler));
  const entries =
    isAudio && sampleTicks === 1 ? chunks * Math.ceil(largestChunk / pcmSamplesPerEntry) : samples;
  return entries * Math.max(1, edits);
}

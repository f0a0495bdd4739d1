// Adds up what the tables of an MP4 file claim before FFmpeg builds an index from them: FFmpeg believes a table that
// says "80 million samples of one byte" in a file of 600 bytes, and takes 3 GB for it. Linear in the number of boxes;
// reads headers only, never the tables themselves, but for lists of edits and of chunks' sizes.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Boxes that FFmpeg looks into (mov.c, mov_default_parse_table), wherever they are found. */
const containers: ReadonlySet<string> = new Set(['dinf', 'edts', 'mdia', 'mfra', 'minf', 'moof', 'moov', 'mvex', 'stbl', 'traf', 'trak', 'tref', 'udta']);
/** 24 hours of the shortest usual AAC and of video, together. More would be an index of several hundred MB. */
const maxIndexEntries = 8_000_000;
const maxBoxes = 2_000_000;
/** Nobody nests deeper, and FFmpeg itself gives up at 10. */
const maxDepth = 16;
/** What is read of a box: `stsz` and `trun` tell their counts at the start. */
const headBytes = 24;
const maxEdits = 10_000;
const maxChunkRuns = 1_000_000;
/** FFmpeg puts so many samples of PCM into one entry. */
const pcmSamplesPerEntry = 1024;

/** What one `trak` box claims. */
type Track = { samples: number; edits: number; sampleTicks: number; chunks: number; largestChunk: number };

/** @returns whether the tables could belong to a file of this size; false only for an MP4 file whose tables cannot */
export function areMp4ClaimsPlausible(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    const head = readAt(file, 0, 12);
    if (head.length < 12 || head.toString('latin1', 4, 8) !== 'ftyp') return true;
    return new ClaimCount(file, sizeBytes).isPlausible();
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

class ClaimCount {
  readonly #file: number;
  readonly #sizeBytes: number;
  readonly #tracks: Track[] = [];
  #fragmentSamples = 0;
  #boxes = 0;
  #isImpossible = false;

  constructor(file: number, sizeBytes: number) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  isPlausible(): boolean {
    this.#walk(0, this.#sizeBytes, 0);
    const entries = this.#tracks.reduce((sum, track) => sum + indexEntries(track), this.#fragmentSamples);
    // A sample takes at least a byte of the file, but PCM, of which one entry takes more.
    return !this.#isImpossible && entries <= maxIndexEntries && entries <= Math.max(this.#sizeBytes, 1000);
  }

  #walk(from: number, to: number, depth: number): void {
    for (let at = from; at + 8 <= to && !this.#isImpossible; ) {
      this.#boxes += 1;
      if (this.#boxes > maxBoxes || depth > maxDepth) this.#isImpossible = true;
      const head = readAt(this.#file, at, 8 + headBytes);
      if (head.length < 8) return;
      const type = head.toString('latin1', 4, 8);
      let size = head.readUInt32BE(0);
      let headerBytes = 8;
      if (size === 1 && head.length >= 16) {
        size = Number(head.readBigUInt64BE(8));
        headerBytes = 16;
      }
      // 0: to the end of what it is in. What reaches beyond is read as far as there is something.
      const end = size === 0 ? to : Math.min(to, at + Math.max(size, headerBytes));
      if (type === 'trak') this.#tracks.push({ samples: 0, edits: 0, sampleTicks: 0, chunks: 0, largestChunk: 0 });
      if (containers.has(type)) this.#walk(at + headerBytes, end, depth + 1);
      // A table of contents that is packed (QuickTime of the nineties) unfolds to whatever it likes.
      else if (type === 'cmov') this.#isImpossible = true;
      else this.#count(type, head.subarray(headerBytes), at + headerBytes, end - at - headerBytes);
      at = end;
    }
  }

  /** @param head the first bytes of the box @param at its place in the file, and `bodyBytes` its length there */
  #count(type: string, head: Buffer, at: number, bodyBytes: number): void {
    const track = this.#tracks.at(-1);
    const field = (offset: number): number => (offset + 4 <= head.length && offset + 4 <= bodyBytes ? head.readUInt32BE(offset) : 0);
    const mustFit = (count: number, bytesEach: number): void => {
      if (count * bytesEach > bodyBytes) this.#isImpossible = true;
    };
    if (type === 'trun') {
      const flags = field(0) & 0xffffff;
      const samples = field(4);
      mustFit(samples, 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length);
      this.#fragmentSamples += samples;
    }
    if (track === undefined) return;
    if (type === 'stsz') {
      const sampleBytes = field(4);
      const samples = field(8);
      if (sampleBytes === 0) mustFit(samples, 4);
      track.samples += samples;
    } else if (type === 'stz2') {
      mustFit(field(8), (field(4) & 0xff) / 8);
      track.samples += field(8);
    } else if (type === 'stts' || type === 'ctts') {
      mustFit(field(4), 8);
      if (type === 'stts' && field(4) === 1) track.sampleTicks = field(12);
    } else if (type === 'stco' || type === 'stss' || type === 'co64') {
      mustFit(field(4), type === 'co64' ? 8 : 4);
      if (type !== 'stss') track.chunks += field(4);
    } else if (type === 'stsc') this.#countChunks(track, field(4), at, mustFit);
    else if (type === 'elst') this.#countEdits(track, field(0) >>> 24, field(4), at, mustFit);
  }

  #countChunks(track: Track, runs: number, at: number, mustFit: (count: number, bytesEach: number) => void): void {
    mustFit(runs, 12);
    if (runs > maxChunkRuns) this.#isImpossible = true;
    if (this.#isImpossible) return;
    const table = readAt(this.#file, at + 8, runs * 12);
    for (let run = 0; run + 12 <= table.length; run += 12) track.largestChunk = Math.max(track.largestChunk, table.readUInt32BE(run + 4));
  }

  /** Each edit that plays something puts the samples it plays into the index anew; an empty one (place −1) none. */
  #countEdits(track: Track, version: number, edits: number, at: number, mustFit: (count: number, bytesEach: number) => void): void {
    const bytesEach = version === 1 ? 20 : 12;
    mustFit(edits, bytesEach);
    if (edits > maxEdits) this.#isImpossible = true;
    if (this.#isImpossible) return;
    const table = readAt(this.#file, at + 8, edits * bytesEach);
    for (let edit = 0; edit + bytesEach <= table.length; edit += bytesEach) {
      const place = version === 1 ? table.readBigInt64BE(edit + 8) : table.readInt32BE(edit + 4);
      if (place >= 0) track.edits += 1;
    }
  }
}

/** Entries of FFmpeg's index (mov.c, mov_build_index and mov_fix_index). */
function indexEntries({ samples, edits, sampleTicks, chunks, largestChunk }: Track): number {
  const entries = sampleTicks === 1 ? chunks * Math.ceil(largestChunk / pcmSamplesPerEntry) : samples;
  return entries * Math.max(1, edits);
}

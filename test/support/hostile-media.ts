// Small media files that claim far more content than they have. Built byte by byte, because no encoder would write
// them.

import { deflateSync } from "node:zlib";

/** An ISO BMFF box (ISO/IEC 14496-12). */
export const box = (type: string, ...parts: (Uint8Array | readonly number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, body]);
};

export const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value >>> 0, 4 * at));
  return bytes;
};

const ftyp = (): Buffer => box("ftyp", Buffer.from("M4A "), u32(0), Buffer.from("M4A mp42isom"));

/** MPEG-4 audio, AAC-LC at 44.1 kHz, mono. */
function mp4a(): Buffer {
  const config = [0x12, 0x08];
  const decoderConfig = [
    0x04,
    13 + 2 + config.length,
    0x40,
    0x15,
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
    0x05,
    config.length,
    ...config,
  ];
  const esds = [
    0,
    0,
    0,
    0,
    0x03,
    3 + decoderConfig.length + 3,
    0,
    1,
    0,
    ...decoderConfig,
    0x06,
    1,
    2,
  ];
  return box(
    "mp4a",
    [0, 0, 0, 0, 0, 0, 0, 1],
    u32(0, 0),
    [0, 1, 0, 16, 0, 0, 0, 0],
    u32(44_100 * 65_536),
    box("esds", esds),
  );
}

/** 16-bit PCM. FFmpeg creates an index entry for every 1,024 samples of a chunk. */
const sowt = (): Buffer =>
  box("sowt", [0, 0, 0, 0, 0, 0, 0, 1], u32(0, 0), [0, 1, 0, 16, 0, 0, 0, 0], u32(44_100 * 65_536));

export type TrackClaims = {
  samples: number;
  /** Size of each sample. 0: a table of sizes is announced, but missing. */
  sampleBytes?: number;
  sampleTicks?: number;
  samplesPerChunk?: number;
  chunks?: number;
  isPcm?: boolean;
  /** Types of the track's `hdlr` boxes. */
  handlers?: readonly string[];
  /** Boxes after those that every track has. */
  extraTables?: readonly Uint8Array[];
  /** [duration, media time] of each edit. */
  edits?: readonly (readonly [number, number])[];
  /** Puts a track inside the edit box, where it is invalid. */
  hasStrayTrack?: boolean;
};

function track(
  id: number,
  {
    samples,
    sampleBytes = 1,
    sampleTicks = 1024,
    samplesPerChunk = samples,
    chunks = 1,
    isPcm = false,
    handlers = ["soun"],
    extraTables = [],
    edits = [],
    hasStrayTrack = false,
  }: TrackClaims,
  mdatOffset: number,
): Buffer {
  const identity = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  const editList =
    edits.length === 0
      ? []
      : [
          box(
            "edts",
            box(
              "elst",
              u32(0, edits.length),
              ...edits.map(([duration, place]) => u32(duration, place, 0x10000)),
            ),
            ...(hasStrayTrack ? [box("trak")] : []),
          ),
        ];
  return box(
    "trak",
    box("tkhd", u32(7, 0, 0, id, 0, 44_100, 0, 0), [0, 0, 0, 0, 1, 0, 0, 0], identity, u32(0, 0)),
    ...editList,
    box(
      "mdia",
      box("mdhd", u32(0, 0, 0, 44_100, 44_100, 0x55c40000)),
      ...handlers.map((handler) => box("hdlr", u32(0, 0), Buffer.from(handler), u32(0, 0, 0), [0])),
      box(
        "minf",
        box("smhd", u32(0, 0)),
        box("dinf", box("dref", u32(0, 1), box("url ", u32(1)))),
        box(
          "stbl",
          box("stsd", u32(0, 1), isPcm ? sowt() : mp4a()),
          box("stts", u32(0, 1, samples, sampleTicks)),
          box("stsc", u32(0, 1, 1, samplesPerChunk, 1)),
          box("stsz", u32(0, sampleBytes, samples)),
          box("stco", u32(0, chunks), u32(...Array.from({ length: chunks }, () => mdatOffset))),
          ...extraTables,
        ),
      ),
    ),
  );
}

/** An MP4 file whose tracks claim these samples. */
export function mp4WithFalseClaims(
  tracks: readonly TrackClaims[],
  mdat: Uint8Array = new Uint8Array(32),
): Buffer {
  const build = (mdatOffset: number): Buffer =>
    box(
      "moov",
      box(
        "mvhd",
        u32(0, 0, 0, 44_100, 44_100, 0x10000, 0x01000000, 0, 0),
        u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000),
        Buffer.alloc(24),
        u32(tracks.length + 1),
      ),
      ...tracks.map((claims, at) => track(at + 1, claims, mdatOffset)),
    );
  const header = ftyp();
  const moov = build(header.length + build(0).length + 8);
  return Buffer.concat([header, moov, box("mdat", mdat)]);
}

/** A fragmented MP4 file: each fragment claims this number of samples without any data for them. */
export function fragmentsWithFalseClaims(samples: number, fragments: number): Buffer {
  const [first] = [mp4WithFalseClaims([{ samples: 0 }])];
  const moovAt = first.indexOf("moov") - 4;
  const moov = first.subarray(moovAt + 8, moovAt + first.readUInt32BE(moovAt));
  const mvex = box("mvex", box("trex", u32(0, 1, 1, 1024, 0, 0)));
  const moof = box(
    "moof",
    box("mfhd", u32(0, 1)),
    box("traf", box("tfhd", u32(0x20000, 1)), box("trun", u32(0, samples))),
  );
  return Buffer.concat([
    ftyp(),
    box("moov", moov, mvex),
    ...Array.from({ length: fragments }, () => moof),
    box("mdat", Buffer.alloc(32)),
  ]);
}

/** The same file without `ftyp`, or with other boxes instead. */
export const withoutFtyp = (mp4: Buffer, ...first: readonly Uint8Array[]): Buffer =>
  Buffer.concat([...first, mp4.subarray(mp4.readUInt32BE(0))]);

/**
 * A WAVE file of `seconds` at 1 Hz, 8 bit: one byte per second, and 16,000 times as many samples after resampling for
 * an engine.
 */
export function lowRateWav(seconds: number): Buffer {
  const file = Buffer.alloc(44 + seconds, 0x80);
  file.write("RIFF", 0);
  file.writeUInt32LE(36 + seconds, 4);
  file.write("WAVEfmt ", 8);
  [16, 0x10001, 1, 1, 0x80001].forEach((value, at) => file.writeUInt32LE(value, 16 + 4 * at));
  file.write("data", 36);
  file.writeUInt32LE(seconds, 40);
  return file;
}

/** Encodes a number for an ID3 tag: seven bits per byte. */
const syncSafe = (value: number): number[] =>
  [21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f);

/** An MP3 file whose ID3 tag has compressed pictures (ID3v2.4, 4.1.2), each of which decompresses to 64 MB. */
export function mp3WithCompressedPictures(count: number, mp3: Uint8Array): Buffer {
  const plain = Buffer.concat([
    Buffer.from("\0image/png\0\x03\0", "latin1"),
    Buffer.alloc(64 * 2 ** 20),
  ]);
  const compressed = deflateSync(plain);
  const frame = Buffer.concat([
    Buffer.from("APIC"),
    Buffer.from(syncSafe(compressed.length + 4)),
    Buffer.from([0, 0x09]),
    Buffer.from(syncSafe(plain.length)),
    compressed,
  ]);
  const frames = Buffer.concat(Array.from({ length: count }, () => frame));
  return Buffer.concat([
    Buffer.from("ID3\x04\0\0", "latin1"),
    Buffer.from(syncSafe(frames.length)),
    frames,
    mp3,
  ]);
}

const extremes = [0, 1, 0x7f, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 80_000_000];

/** A copy with damage at some positions, most of them near the start, where headers are. */
export function mutateBytes(bytes: Uint8Array, random: () => number): Buffer {
  let copy: Buffer = Buffer.from(bytes);
  const randomOffset = (): number =>
    Math.floor((random() < 0.6 ? random() ** 3 : random()) * copy.length);
  const mutations: (() => void)[] = [
    () => void (copy[randomOffset()] = Math.floor(random() * 256)),
    () => {
      const at = Math.min(randomOffset(), copy.length - 4);
      const value = extremes[Math.floor(random() * extremes.length)] ?? 0;
      if (at < 0) return;
      if (random() < 0.5) copy.writeUInt32BE(value, at);
      else copy.writeUInt32LE(value, at);
    },
    () => void (copy = copy.subarray(0, Math.max(1, Math.floor(copy.length * random())))),
    () => {
      const at = randomOffset();
      copy = Buffer.concat([copy.subarray(0, at), copy.subarray(at, at + 64), copy.subarray(at)]);
    },
    () => {
      const at = randomOffset();
      copy = Buffer.concat([copy.subarray(0, at), copy.subarray(at + Math.floor(random() * 64))]);
    },
    () => void copy.fill(random() < 0.5 ? 0 : 0xff, randomOffset(), randomOffset()),
  ];
  // At most one cut and one long run: with more of them, the file would be refused at its first byte.
  const count = 1 + Math.floor(random() * 8);
  for (let done = 0; done < count; done += 1)
    mutations[Math.floor(random() * (done === 0 ? mutations.length : 2))]?.();
  return copy;
}

// MP4 files with false tables are rejected before a decoder reads them; valid files pass.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openDecoder } from "../../../../main/audio/codec/decode.ts";
import { areMp4TablesPlausible } from "../../../../main/audio/codec/mp4-table-check.ts";
import {
  box,
  fragmentsWithFalseClaims,
  mp4WithFalseClaims,
  u32,
  withoutFtyp,
} from "../../../support/hostile-media.ts";
import { encodeMedia, encodeAudio, tone } from "../../../support/test-audio.ts";
import { openFolder } from "../../../support/test-data.ts";

const folder = await openFolder();
afterAll(() => folder.remove());
let saved = 0;
function save(bytes: Uint8Array): string {
  const path = join(folder.path, `${(saved += 1)}.m4a`);
  writeFileSync(path, bytes);
  return path;
}

const million = 1_000_000;
const oneEdit = [100_000 * 1024, 0] as const;
const bomb = (): Buffer => mp4WithFalseClaims([{ samples: 80 * million }]);
/** The video file with its `moov` box renamed. */
const renamed = (name: string): Buffer =>
  Buffer.from(bomb().toString("latin1").replace("moov", name), "latin1");
const falseSizes = (): Buffer => box("stsz", u32(0, 1, 80 * million));

it.each<[string, () => Uint8Array]>([
  ["80 million samples of a byte in 600 bytes", bomb],
  ["them without ftyp", () => withoutFtyp(bomb())],
  ...["wide", "free", "skip", "uuid", "pnot"].map((name): [string, () => Uint8Array] => [
    `them behind ${name}`,
    () => withoutFtyp(bomb(), box(name, Buffer.alloc(8))),
  ]),
  ["them behind mdat", () => withoutFtyp(bomb(), box("mdat", Buffer.alloc(4096)))],
  [
    "them behind a box whose size has 64 bits",
    () => withoutFtyp(bomb(), u32(1), Buffer.from("mdat"), u32(0, 32), Buffer.alloc(16)),
  ],
  ["them in a box that is free", () => withoutFtyp(renamed("free"), box("mdat", Buffer.alloc(8)))],
  ["them in a box that FFmpeg takes for moov", () => renamed("hoov")],
  [
    "them in a box to the end of the file, its size in 64 bits",
    () => {
      const film = bomb();
      const moovAt = film.indexOf("moov") - 4;
      return Buffer.concat([
        film.subarray(0, moovAt),
        u32(1),
        Buffer.from("moov"),
        u32(0, 8),
        film.subarray(moovAt + 8),
      ]);
    },
  ],
  [
    "them in a second film",
    () => Buffer.concat([mp4WithFalseClaims([{ samples: 1 }]), withoutFtyp(bomb())]),
  ],
  [
    "a video track of one tick a sample",
    () =>
      mp4WithFalseClaims([
        { samples: 80 * million, sampleTicks: 1, samplesPerChunk: 1, handlers: ["vide"] },
      ]),
  ],
  [
    "a sound track that becomes one of video",
    () =>
      mp4WithFalseClaims([
        { samples: 80 * million, sampleTicks: 1, samplesPerChunk: 1, handlers: ["soun", "vide"] },
      ]),
  ],
  [
    "sound of one tick a sample that has other times behind",
    () =>
      mp4WithFalseClaims([
        {
          samples: 80 * million,
          sampleTicks: 1,
          samplesPerChunk: 1,
          extraTables: [box("stts", u32(0, 2, 1, 2, 1, 3))],
        },
      ]),
  ],
  [
    "a table too short to hold its counts",
    () =>
      mp4WithFalseClaims([
        { samples: 1, extraTables: [box("stsz"), box("free", u32(80 * million))] },
      ]),
  ],
  [
    "a table among the descriptions of a track",
    () =>
      mp4WithFalseClaims([
        {
          samples: 1,
          extraTables: [box("stsd", u32(0, 1), box("twos", Buffer.alloc(28), falseSizes()))],
        },
      ]),
  ],
  [
    "a table in a meta box",
    () =>
      mp4WithFalseClaims([
        {
          samples: 1,
          extraTables: [box("meta", u32(0), box("hdlr", Buffer.alloc(24)), falseSizes())],
        },
      ]),
  ],
  [
    "a table in a box of a codec",
    () => mp4WithFalseClaims([{ samples: 1, extraTables: [box("wave", falseSizes())] }]),
  ],
  [
    "offsets in time for two billion samples",
    () =>
      mp4WithFalseClaims([{ samples: 1, extraTables: [box("ctts", u32(0, 1, 0x7fff_ffff, 0))] }]),
  ],
  [
    "a group of two billion samples",
    () =>
      mp4WithFalseClaims([
        {
          samples: 1,
          extraTables: [box("sbgp", u32(0), Buffer.from("sync"), u32(1, 0x7fff_ffff, 1))],
        },
      ]),
  ],
  [
    "two tracks that add up to them",
    () => mp4WithFalseClaims([{ samples: 40 * million }, { samples: 40 * million }]),
  ],
  [
    "a table of sizes that is not there",
    () => mp4WithFalseClaims([{ samples: 80 * million, sampleBytes: 0 }]),
  ],
  [
    "chunks of PCM of four billion samples",
    () =>
      mp4WithFalseClaims([{ samples: 4000 * million, sampleTicks: 1, isPcm: true, chunks: 20 }]),
  ],
  [
    "a thousand edits that each play all of it",
    () =>
      mp4WithFalseClaims(
        [{ samples: 100_000, edits: Array.from({ length: 1000 }, () => oneEdit) }],
        Buffer.alloc(100_000),
      ),
  ],
  [
    "such edits cut off from their samples by a stray track",
    () =>
      mp4WithFalseClaims(
        [
          {
            samples: 100_000,
            edits: Array.from({ length: 1000 }, () => oneEdit),
            hasStrayTrack: true,
          },
        ],
        Buffer.alloc(100_000),
      ),
  ],
  ["fragments of samples without a byte", () => fragmentsWithFalseClaims(million, 60)],
  [
    "tables in a box that is in no track",
    () =>
      Buffer.concat([
        mp4WithFalseClaims([{ samples: 1 }]),
        box("moov", box("stsz", u32(0, 1, 80 * million))),
      ]),
  ],
  [
    "a packed header",
    () =>
      Buffer.concat([
        mp4WithFalseClaims([{ samples: 1 }]),
        box("moov", box("cmov", Buffer.alloc(20))),
      ]),
  ],
])("rejects %s", (_, make) => {
  const path = save(make());
  expect(areMp4TablesPlausible(path)).toBe(false);
  const before = process.memoryUsage.rss();
  expect(() => openDecoder(path, { sampleRateHz: 16_000 })).toThrow(
    expect.objectContaining({ key: "undecodable_audio" }),
  );
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * million);
});

it("accepts what encoders write: unfragmented, fragmented, with edit lists and with PCM", () => {
  const samples = tone(440, 3, 48_000);
  const audio = { codec: "aac", samples, sampleRateHz: 48_000 } as const;
  const files = [
    encodeAudio(samples, 48_000, "m4a"),
    encodeAudio(samples, 48_000, "mp4"),
    encodeMedia({ muxer: "mp4", audio, options: { movflags: "frag_keyframe+empty_moov" } }),
    encodeMedia({ muxer: "mp4", audio, options: { movflags: "faststart" } }),
    encodeMedia({ muxer: "mov", audio: { ...audio, codec: "pcm_s16le" } }),
    encodeMedia({ muxer: "mov", audio: { ...audio, codec: "alac" } }),
    withoutFtyp(Buffer.from(encodeAudio(samples, 48_000, "m4a"))),
  ];
  for (const bytes of files) expect(areMp4TablesPlausible(save(bytes))).toBe(true);
});

it("accepts other formats and truncated starts of files", () => {
  for (const bytes of [
    encodeAudio(tone(440, 1, 48_000), 48_000, "mp3"),
    Buffer.alloc(0),
    Buffer.from("ftyp"),
    mp4WithFalseClaims([{ samples: 1 }]).subarray(0, 30),
  ]) {
    expect(areMp4TablesPlausible(save(bytes))).toBe(true);
  }
});

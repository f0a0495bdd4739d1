import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { FormatContext } from "node-av/lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AudiobookFileOptions,
  type AudiobookFormat,
  openAudiobookFile,
} from "../../../main/audiobook/audiobook-file.ts";
import { openDecoder } from "../../../main/audio/codec/decode.ts";
import { parseBoxes } from "../../../main/audiobook/mp4-chapters.ts";
import { parseImageHeader } from "../../../main/audio/codec/image-header.ts";
import { openFolder } from "../../support/test-data.ts";

const sampleRateHz = 24_000;
let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  folder = await openFolder();
});
afterAll(() => folder.remove());

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** Four by four black pixels. */
function png(): Buffer {
  const header = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(4 * 13))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Ten seconds of a tone, in chunks of odd lengths. */
function write(options: Omit<AudiobookFileOptions, "path" | "sampleRateHz">): string {
  const path = join(folder.path, `book.${options.format}`);
  const file = openAudiobookFile({ path, sampleRateHz, ...options });
  const tone = Float32Array.from(
    { length: 10 * sampleRateHz },
    (_, at) => 0.3 * Math.sin(at * 0.1),
  );
  for (let at = 0; at < tone.length; at += 7_777) file.write(tone.subarray(at, at + 7_777));
  file.finish();
  return path;
}

function secondsOf(path: string): number {
  const decoder = openDecoder(path, { sampleRateHz });
  let samples = 0;
  for (let block = decoder.read(); block !== undefined; block = decoder.read())
    samples += block.length;
  decoder.close();
  return samples / sampleRateHz;
}

function tagsOf(path: string): Record<string, string> {
  const input = new FormatContext();
  input.allocContext();
  input.openInputSync(`file:${path}`);
  input.findStreamInfoSync(null);
  const tags = {
    ...input.metadata?.getAll(),
    ...input.streams[0]?.metadata?.getAll(),
    streams: String(input.nbStreams),
  };
  input.closeInputSync();
  return Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

describe.each(["mp3", "m4b", "opus", "flac", "wav"] satisfies AudiobookFormat[])("%s", (format) => {
  it("contains every sample, the title and the author", () => {
    const path = write({ format, title: "A — title", author: "Ä. Uthor" });
    expect(secondsOf(path)).toBeCloseTo(10, 2);
    expect(tagsOf(path)).toMatchObject({ title: "A — title", artist: "Ä. Uthor" });
  });

  it("contains the cover where the format supports one", () => {
    const path = write({ format, cover: png() });
    expect(tagsOf(path)["streams"]).toBe(format === "wav" || format === "opus" ? "1" : "2");
    expect(secondsOf(path)).toBeCloseTo(10, 2);
  });
});

/** The body of a nested box. */
const at = (parent: Uint8Array, ...path: string[]): Uint8Array =>
  path.reduce(
    (body, type) => parseBoxes(body).find((box) => box.type === type)?.body ?? new Uint8Array(),
    parent,
  );
const handler = (track: Uint8Array) =>
  Buffer.from(at(track, "mdia", "hdlr")).toString("latin1", 8, 12);

it("lists chapters in both notations that players read", () => {
  const bytes = readFileSync(
    write({
      format: "m4b",
      title: "Book",
      chapters: [
        { title: "One", startSec: 0, endSec: 4 },
        { title: "Zwei – ü", startSec: 4, endSec: 10 },
      ],
    }),
  );
  const moov = at(bytes, "moov");
  const list = Buffer.from(at(moov, "udta", "chpl"));
  expect(list[8]).toBe(2);
  expect(list.toString("utf8")).toContain("Zwei – ü");
  expect(list.readBigUInt64BE(9 + 8 + 1 + 3)).toBe(40_000_000n);
  const tracks = parseBoxes(moov)
    .filter(({ type }) => type === "trak")
    .map(({ body }) => body);
  const sound = tracks.find((track) => handler(track) === "soun") ?? new Uint8Array();
  const titles = tracks.find((track) => handler(track) === "text") ?? new Uint8Array();
  const titlesId = Buffer.from(at(titles, "tkhd")).readUInt32BE(12);
  expect(Buffer.from(at(sound, "tref", "chap")).readUInt32BE(0)).toBe(titlesId);
  // The chapter track is not shown on its own.
  expect((at(titles, "tkhd")[3] ?? 1) & 1).toBe(0);
  // Sample counts and durations in ms; the last one is FFmpeg's end marker, whose duration is 0.
  const times = Buffer.from(at(titles, "mdia", "minf", "stbl", "stts"));
  expect(
    Array.from({ length: times.readUInt32BE(4) }, (_, run) => [
      times.readUInt32BE(8 + run * 8),
      times.readUInt32BE(12 + run * 8),
    ]),
  ).toEqual([
    [1, 4000],
    [1, 6000],
    [1, 0],
  ]);
});

/** Frames of an ID3v2.4 tag, as specified: name, size with seven bits per byte, two bytes of flags. */
function framesIn(tag: Buffer): { id: string; body: Buffer }[] {
  const frames: { id: string; body: Buffer }[] = [];
  for (let place = 0; place + 10 <= tag.length && tag[place] !== 0;) {
    const size = [4, 5, 6, 7].reduce((sum, byte) => sum * 128 + (tag[place + byte] ?? 0), 0);
    frames.push({
      id: tag.toString("latin1", place, place + 4),
      body: tag.subarray(place + 10, place + 10 + size),
    });
    place += 10 + size;
  }
  return frames;
}

it.each([false, true])(
  "writes the chapters of an mp3 into its tag (with a cover: %s)",
  (hasCover) => {
    const chapters = [
      { title: "One", startSec: 0, endSec: 4 },
      { title: "Zwei – ü", startSec: 4, endSec: 10 },
    ];
    const path = write({
      format: "mp3",
      title: "Book",
      chapters,
      ...(hasCover ? { cover: png() } : {}),
    });
    const bytes = readFileSync(path);
    const frames = framesIn(
      bytes.subarray(
        10,
        10 + [6, 7, 8, 9].reduce((sum, byte) => sum * 128 + (bytes[byte] ?? 0), 0),
      ),
    );
    const table = frames.find(({ id }) => id === "CTOC")?.body;
    expect(table?.toString("latin1")).toBe("toc\0\u0003\u0002chp0\0chp1\0");
    const marks = frames
      .filter(({ id }) => id === "CHAP")
      .map(({ body }) => {
        const id = body.toString("latin1", 0, body.indexOf(0));
        const at16 = body.subarray(id.length + 1);
        const [title] = framesIn(at16.subarray(16));
        return {
          id,
          startMs: at16.readUInt32BE(0),
          endMs: at16.readUInt32BE(4),
          title: title?.body.toString("utf8", 1).replace("\0", ""),
        };
      });
    expect(marks).toEqual([
      { id: "chp0", startMs: 0, endMs: 4000, title: "One" },
      { id: "chp1", startMs: 4000, endMs: 10_000, title: "Zwei – ü" },
    ]);
    expect(frames.some(({ id }) => id === "APIC")).toBe(hasCover);
    expect(tagsOf(path)).toMatchObject({ title: "Book" });
    expect(secondsOf(path)).toBeCloseTo(10, 2);
  },
);

it("detects the format of a picture by its bytes", () => {
  expect(parseImageHeader(png())).toEqual({ type: "png", width: 4, height: 4 });
  expect(
    parseImageHeader(
      Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100", "hex"),
    ),
  ).toEqual({ type: "jpeg", width: 32, height: 16 });
  expect(parseImageHeader(Buffer.from("GIF89a"))).toBeUndefined();
  expect(parseImageHeader(Buffer.from("ffd8ffe0", "hex"))).toBeUndefined();
});

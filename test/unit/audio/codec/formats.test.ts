import { describe, expect, it } from "vitest";
import {
  acceptedContainers,
  audioMimeTypes,
  extendedContainers,
  sniffBytes,
  sniffContainer,
  standardContainers,
} from "../../../../main/audio/codec/formats.ts";
import {
  encodeMedia,
  encodeAudio,
  noise,
  tone,
  videoFile,
  wavFile,
} from "../../../support/test-audio.ts";

const bytes = (...parts: (string | number[] | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part),
    ),
  );
const sniff = (file: Uint8Array) => sniffContainer(file.subarray(0, sniffBytes));
const sound = tone(440, 1, 48_000);
const mp3 = encodeAudio(sound, 48_000, "mp3");
/** Only frames, without the tag and the Xing frame that FFmpeg writes first. */
const mp3Frames = encodeMedia({
  muxer: "mp3",
  audio: { codec: "libmp3lame", samples: sound, sampleRateHz: 48_000 },
  options: { id3v2_version: "0", write_xing: "0" },
});
/** The header of an ID3 tag with a size of `size` bytes. */
const tag = (size: number) =>
  bytes("ID3", [4, 0, 0, (size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127]);

describe("real files", () => {
  for (const container of [...standardContainers, ...extendedContainers]) {
    it(`recognizes ${container}`, () => {
      expect(sniff(encodeAudio(sound, 48_000, container))).toBe(container);
    });
  }

  it("recognizes a video file as mp4", () => {
    expect(sniff(videoFile(1, { samples: sound, sampleRateHz: 48_000 }))).toBe("mp4");
  });

  it("recognizes a fragmented mp4", () => {
    expect(
      sniff(
        encodeMedia({
          muxer: "mp4",
          audio: { codec: "aac", samples: sound, sampleRateHz: 48_000 },
          options: { movflags: "frag_keyframe+empty_moov" },
        }),
      ),
    ).toBe("mp4");
  });

  it("recognizes MPEG-1 video without a system stream as mpeg", () => {
    expect(
      sniff(encodeMedia({ muxer: "mpeg1video", video: { codec: "mpeg1video", durationSec: 1 } })),
    ).toBe("mpeg");
  });

  it("recognizes a wav without sizes, and Sony Wave64", () => {
    expect(sniff(wavFile([sound], 48_000, { unknownSizes: true }))).toBe("wav");
    expect(
      sniff(
        encodeMedia({
          muxer: "w64",
          audio: { codec: "pcm_s16le", samples: sound, sampleRateHz: 48_000 },
        }),
      ),
    ).toBe("wav");
  });

  for (const [muxer, codec] of [
    ["adts", "aac"],
    ["matroska", "libopus"],
    ["mov", "aac"],
    ["avi", "libmp3lame"],
    ["aiff", "pcm_s16be"],
    ["mpegts", "mp2"],
    ["caf", "pcm_s16le"],
    ["flv", "libmp3lame"],
    ["asf", "aac"],
  ] as const) {
    it(`rejects ${muxer}, even if it contains ${codec}`, () => {
      const sampleRateHz = codec === "libopus" ? 48_000 : 44_100;
      expect(
        sniff(
          encodeMedia({
            muxer,
            audio: { codec, samples: tone(440, 1, sampleRateHz), sampleRateHz },
          }),
        ),
      ).toBeUndefined();
    });
  }
});

describe("MPEG audio", () => {
  it("is recognized by bare frames, also after zeros", () => {
    expect(sniff(mp3Frames)).toBe("mp3");
    expect(sniff(bytes(new Uint8Array(500), mp3Frames))).toBe("mp3");
  });

  it("is recognized when the recording was cut in the middle of a frame", () => {
    expect(sniff(mp3Frames.subarray(100))).toBe("mp3");
  });

  it("is recognized by a single frame when the file contains no more", () => {
    expect(sniff(mp3Frames.subarray(0, 60))).toBe("mp3");
  });

  it("is not recognized in random bytes that look like a frame header", () => {
    expect(
      sniff(bytes([0xff, 0xfb, 0x90, 0x64], new Uint8Array(noise(0.1, 48_000).buffer))),
    ).toBeUndefined();
    for (let seed = 1; seed <= 50; seed++) {
      const random = Uint8Array.from(noise(0.1, 48_000, 128, seed), (value) => value + 128);
      expect(sniff(bytes([0xff, 0xfb, 0x90, 0x64], random, random))).toBeUndefined();
      expect(sniff(random)).toBeUndefined();
    }
  });

  it("is recognized in free-format frames by their regular distance", () => {
    const frame = bytes([0xff, 0xfb, 0x00, 0xc4], new Uint8Array(300).fill(0x55));
    expect(sniff(bytes(frame, frame, frame, frame))).toBe("mp3");
    expect(sniff(bytes(frame, new Uint8Array(3000).fill(0x55)))).toBeUndefined();
  });

  it("is recognized after one or several ID3 tags", () => {
    expect(sniff(bytes(tag(300), new Uint8Array(300), mp3Frames))).toBe("mp3");
    expect(sniff(bytes(tag(30), new Uint8Array(30), tag(20), new Uint8Array(20), mp3Frames))).toBe(
      "mp3",
    );
  });

  it("is assumed when a tag is larger than the bytes read", () => {
    expect(sniff(bytes(tag(500_000), new Uint8Array(9000).fill(7)))).toBe("mp3");
  });

  it("is distinguished from flac and aac after a tag", () => {
    const aac = encodeMedia({
      muxer: "adts",
      audio: { codec: "aac", samples: sound, sampleRateHz: 48_000 },
    });
    expect(sniff(bytes(tag(300), new Uint8Array(300), encodeAudio(sound, 48_000, "flac")))).toBe(
      "flac",
    );
    expect(sniff(bytes(tag(300), new Uint8Array(300), aac))).toBeUndefined();
  });

  it("is not recognized after a tag with an invalid size", () => {
    expect(
      sniff(bytes("ID3", [4, 0, 0, 0xff, 0xff, 0xff, 0xff], new Uint8Array(300))),
    ).toBeUndefined();
  });
});

describe("the mp4 family", () => {
  const ftyp = (major: string, ...compatible: string[]) =>
    bytes([0, 0, 0, 16 + 4 * compatible.length], "ftyp", major, [0, 0, 2, 0], ...compatible);
  const cases: [string, Uint8Array, string | undefined][] = [
    [
      "a first box of 2^24 bytes and more",
      bytes([1, 0, 0, 20], "ftypisom", [0, 0, 2, 0], "isom"),
      "mp4",
    ],
    [
      "a first box with a 64-bit size",
      bytes([0, 0, 0, 1], "ftyp", [0, 0, 0, 0, 0, 0, 0, 32], "mp42", [0, 0, 0, 0], "isom"),
      "mp4",
    ],
    ["an unknown brand compatible with a known one", ftyp("abcd", "iso5"), "mp4"],
    ["an unknown brand", ftyp("abcd", "efgh"), undefined],
    ["a phone recording", ftyp("3gp4", "3gp4"), "mp4"],
    ["an audio book", ftyp("M4B ", "isom"), "m4a"],
    ["QuickTime", ftyp("qt  ", "qt  "), undefined],
    ["an iPhone picture", ftyp("heic", "mif1", "heic"), undefined],
    ["an AVIF picture that claims more", ftyp("avif", "mif1", "iso8"), undefined],
    ["a version that reads like a brand", bytes([0, 0, 0, 16], "ftypabcdisom"), undefined],
    ["a ftyp that breaks off", bytes([0, 0, 0, 16], "ftypis"), undefined],
  ];
  it.each(cases)("%s", (_, file, expected) => {
    expect(sniff(file)).toBe(expected);
  });
});

describe("other signatures", () => {
  const cases: [string, Uint8Array, string | undefined][] = [
    ["nothing", bytes(), undefined],
    ["one byte", bytes([0xff]), undefined],
    ["zeros", new Uint8Array(9000), undefined],
    ["HTML", bytes("<!doctype html><html>"), undefined],
    ["JSON", bytes('{"error":{}}'), undefined],
    ["UTF-16 text", bytes([0xff, 0xfe], "h\0e\0l\0l\0o\0 \0w\0o\0r\0l\0d\0"), undefined],
    ["a playlist", bytes("#EXTM3U\n#EXT-X-VERSION:3\n"), undefined],
    ["a concat script", bytes("ffconcat version 1.0\nfile '/etc/passwd'\n"), undefined],
    [
      "a picture (JPEG)",
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF\0", new Uint8Array(3000).fill(0xff)),
      undefined,
    ],
    ["a picture (PNG)", bytes([0x89], "PNG\r\n", [0x1a, 0x0a]), undefined],
    ["a zip file", bytes("PK", [3, 4]), undefined],
    ["AMR", bytes("#!AMR\n", new Uint8Array(100)), undefined],
    ["MIDI", bytes("MThd", [0, 0, 0, 6]), undefined],
    ["a RIFF file that is no wave", bytes("RIFF", [4, 0, 0, 0], "WEBPVP8 "), undefined],
    ["a RIFF file that breaks off", bytes("RIFF", [4, 0, 0, 0]), undefined],
    ["RF64", bytes("RF64", [0xff, 0xff, 0xff, 0xff], "WAVEds64"), "wav"],
    ["an MPEG-1 pack", bytes([0, 0, 1, 0xba, 0x21]), "mpeg"],
    ["an MPEG-2 pack", bytes([0, 0, 1, 0xba, 0x44]), "mpeg"],
    ["a broken pack", bytes([0, 0, 1, 0xba, 0xff]), undefined],
    [
      "webm with a long header size",
      bytes(
        [
          0x1a, 0x45, 0xdf, 0xa3, 0x01, 0, 0, 0, 0, 0, 0, 0x1f, 0x42, 0x86, 0x81, 1, 0x42, 0x82,
          0x84,
        ],
        "webm",
      ),
      "webm",
    ],
    ["EBML without a type", bytes([0x1a, 0x45, 0xdf, 0xa3, 0x84, 0x42, 0x86, 0x81, 1]), undefined],
    ["EBML of zeros", bytes([0x1a, 0x45, 0xdf, 0xa3], new Uint8Array(100)), undefined],
  ];
  it.each(cases)("%s", (_, file, expected) => {
    expect(sniff(file)).toBe(expected);
  });

  it("never takes the truncated start of a known file for an unrelated format", () => {
    for (const container of [...standardContainers, ...extendedContainers]) {
      const file = encodeAudio(sound, 48_000, container);
      for (let length = 0; length < 200; length++)
        expect([container, undefined, "mp3", "ogg"]).toContain(
          sniffContainer(file.subarray(0, length)),
        );
    }
  });
});

it("accepts a view into a larger buffer", () => {
  expect(sniff(bytes(new Uint8Array(5), mp3).subarray(5))).toBe("mp3");
});

it("lists the standard containers first, in their usual order", () => {
  expect(acceptedContainers(false)).toEqual(["mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm"]);
  expect(acceptedContainers(true)).toEqual([
    "mp3",
    "mp4",
    "mpeg",
    "mpga",
    "m4a",
    "wav",
    "webm",
    "flac",
    "ogg",
    "opus",
  ]);
});

it("has a MIME type for every format that Hearsay writes", () => {
  expect(audioMimeTypes).toEqual({
    mp3: "audio/mpeg",
    opus: "audio/opus",
    aac: "audio/aac",
    flac: "audio/flac",
    wav: "audio/wav",
    pcm: "audio/pcm",
  });
});

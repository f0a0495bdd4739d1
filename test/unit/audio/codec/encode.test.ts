import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openDecoder } from "../../../../main/audio/codec/decode.ts";
import { type EncoderOptions, openEncoder } from "../../../../main/audio/codec/encode.ts";
import { sniffContainer } from "../../../../main/audio/codec/formats.ts";
import { joinSamples } from "../../../../main/audio/codec/pcm.ts";
import { pcmToFloat } from "../../../../main/audio/codec/pcm.ts";
import { type AudioFormat, audioFormats } from "../../../../main/contract/speech.ts";
import { measureFrequencyHz, rootMeanSquare, noise, tone } from "../../../support/test-audio.ts";

const folder = mkdtempSync(join(tmpdir(), "encode-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rateHz = 24_000;
const sound = tone(440, 3.21, rateHz);

/** All bytes of a file, encoded in calls of `step` samples. */
function encode(
  format: AudioFormat,
  samples: Float32Array,
  options: Partial<EncoderOptions> = {},
  step = rateHz,
): Buffer {
  const encoder = openEncoder({ format, quality: "standard", sampleRateHz: rateHz, ...options });
  const parts: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += step)
    parts.push(encoder.encode(samples.subarray(at, at + step)));
  parts.push(encoder.finish());
  encoder.close();
  return Buffer.concat(parts);
}

function decode(bytes: Uint8Array): { samples: Float32Array; estimateSec: number | undefined } {
  const path = join(folder, "speech");
  writeFileSync(path, bytes);
  const decoder = openDecoder(path, { sampleRateHz: rateHz });
  const blocks: Float32Array[] = [];
  for (let block = decoder.read(); block !== undefined; block = decoder.read()) blocks.push(block);
  decoder.close();
  return { samples: joinSamples(blocks), estimateSec: decoder.durationSec };
}

const decodeFormat = (format: AudioFormat, bytes: Uint8Array) =>
  format === "pcm" ? pcmToFloat(bytes) : decode(bytes).samples;

/** Headerless streams cannot say how much padding the codec added at the start and the end. */
const slackSec: Record<AudioFormat, number> = {
  mp3: 0.1,
  aac: 0.1,
  opus: 0.001,
  flac: 0,
  wav: 0,
  pcm: 0,
};

describe.each(audioFormats)("%s", (format) => {
  it.each(["standard", "high"] as const)(
    "encodes a file that contains the audio, in %s quality",
    (quality) => {
      const samples = decodeFormat(format, encode(format, sound, { quality }));
      expect(Math.abs(samples.length - sound.length) / rateHz).toBeLessThanOrEqual(
        slackSec[format],
      );
      const middle = samples.subarray(rateHz / 2, -rateHz / 2);
      expect(measureFrequencyHz(middle, rateHz)).toBeCloseTo(440, 0);
      expect(rootMeanSquare(middle)).toBeCloseTo(0.5 / Math.SQRT2, 1);
    },
  );

  it("returns bytes for the first second at once", () => {
    const encoder = openEncoder({ format, quality: "standard", sampleRateHz: rateHz });
    const first = encoder.encode(noise(1, rateHz));
    encoder.close();
    expect(first.length).toBeGreaterThan(2000);
  });

  it("returns the same bytes however the audio is divided into calls", () => {
    const whole = encode(format, sound, {}, sound.length);
    expect(encode(format, sound, {}, sound.length).equals(whole)).toBe(true);
    expect(encode(format, sound, {}, 777).equals(whole)).toBe(true);
  });

  it("accepts empty input, and rejects input after the end", () => {
    const encoder = openEncoder({ format, quality: "standard", sampleRateHz: rateHz });
    const parts = [
      encoder.encode(new Float32Array(0)),
      encoder.encode(sound),
      encoder.encode(new Float32Array(0)),
      encoder.finish(),
    ];
    expect(Buffer.concat(parts).equals(encode(format, sound))).toBe(true);
    expect(encoder.finish()).toHaveLength(0);
    expect(() => encoder.encode(sound)).toThrow("finished");
    encoder.close();
    encoder.close();
  });

  it("clips samples that are too loud and silences those that are not numbers", () => {
    const loud = tone(440, 1, rateHz, 4);
    loud.fill(NaN, 100, 200);
    const samples = decodeFormat(format, encode(format, loud));
    expect(samples.every((sample) => Math.abs(sample) < 1.6)).toBe(true);
    expect(rootMeanSquare(samples)).toBeGreaterThan(0.7);
  });
});

it.each(["mp3", "opus", "aac"] as const)(
  "%s has a clearly higher bit rate in high quality",
  (format) => {
    const rich = noise(3, rateHz);
    expect(encode(format, rich, { quality: "high" }).length).toBeGreaterThan(
      1.5 * encode(format, rich).length,
    );
  },
);

it.each(["flac", "wav", "pcm"] as const)("%s is lossless", (format) => {
  const original = pcmToFloat(encode("pcm", noise(1, rateHz)));
  expect(decodeFormat(format, encode(format, original))).toEqual(original);
});

describe("mp3 files put one after the other", () => {
  it("play for the sum of their durations", () => {
    const part = encode("mp3", tone(440, 2, rateHz));
    const { samples, estimateSec } = decode(Buffer.concat([part, part, part]));
    expect(Math.abs(samples.length / rateHz - 6)).toBeLessThan(0.3);
    expect(Math.abs(estimateSec! - 6)).toBeLessThan(0.3);
    expect(measureFrequencyHz(samples.subarray(4.5 * rateHz, 5.5 * rateHz), rateHz)).toBeCloseTo(
      440,
      0,
    );
  });

  it("begin with a frame and have no header with a length", () => {
    const file = encode("mp3", sound);
    expect(file[0]).toBe(0xff);
    expect(file.includes("Xing")).toBe(false);
    expect(file.includes("Info")).toBe(false);
    expect(file.includes("ID3")).toBe(false);
    expect(sniffContainer(file)).toBe("mp3");
  });
});

describe("headers", () => {
  it("of wav contain the true sizes when the length is known", () => {
    const file = encode("wav", sound, { totalSamples: sound.length });
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect(file.readUInt32LE(40)).toBe(sound.length * 2);
    expect(file.readUInt32LE(24)).toBe(rateHz);
  });

  it("of wav contain 0xFFFFFFFF when the length is not known", () => {
    const file = encode("wav", sound);
    expect(file.toString("latin1", 0, 4)).toBe("RIFF");
    expect(file.readUInt32LE(4)).toBe(0xffffffff);
    expect(file.readUInt32LE(40)).toBe(0xffffffff);
  });

  it("of flac contain the length when it is known, and otherwise mark it as unknown", () => {
    expect(decode(encode("flac", sound, { totalSamples: sound.length })).estimateSec).toBeCloseTo(
      3.21,
      4,
    );
    expect(decode(encode("flac", sound)).estimateSec).toBeUndefined();
  });

  it("must not promise a wrong length", () => {
    expect(() => encode("wav", sound, { totalSamples: sound.length + 1 })).toThrow("promises");
  });

  it("of pcm do not exist", () => {
    expect(encode("pcm", sound)).toHaveLength(sound.length * 2);
  });

  it("of aac contain neither the program's name nor its version", () => {
    expect(encode("aac", sound).includes("Lavc")).toBe(false);
  });
});

const pagesOf = (file: Buffer) => {
  const pages: { flags: number; granule: number; serial: number; sequence: number }[] = [];
  for (let at = 0; at < file.length;) {
    expect(file.toString("latin1", at, at + 4)).toBe("OggS");
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]!);
    pages.push({
      flags: file[at + 5]!,
      granule: Number(file.readBigInt64LE(at + 6)),
      serial: file.readUInt32LE(at + 14),
      sequence: file.readUInt32LE(at + 18),
    });
    at += 27 + lacing.length + lacing.reduce((sum, size) => sum + size, 0);
  }
  return pages;
};

describe("opus pages", () => {
  it("have first and last flags, are numbered in sequence, and end at the position of the total length", () => {
    const file = encode("opus", sound);
    const pages = pagesOf(file);
    const preSkip = file.readUInt16LE(28 + 10);
    expect(sniffContainer(file)).toBe("opus");
    expect(pages.map((page) => page.sequence)).toEqual(pages.map((_, i) => i));
    expect(pages.map((page) => page.flags)).toEqual(
      pages.map((_, i) => (i === 0 ? 2 : i === pages.length - 1 ? 4 : 0)),
    );
    expect(pages.at(-1)!.granule).toBe(preSkip + sound.length * 2);
    expect(decode(file).estimateSec).toBeCloseTo(3.21, 1);
  });

  it("contain a fifth of a second each, so that playback can start early", () => {
    const granules = pagesOf(encode("opus", sound)).map((page) => page.granule);
    expect(granules[2]).toBe(9600);
    expect(granules[3]).toBe(19_200);
  });
});

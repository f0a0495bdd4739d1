import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type DecoderOptions, openDecoder } from "../../../../main/audio/codec/decode.ts";
import { extendedContainers, standardContainers } from "../../../../main/audio/codec/formats.ts";
import { joinSamples } from "../../../../main/audio/codec/pcm.ts";
import { AppError } from "../../../../main/contract/errors.ts";
import {
  encodeMedia,
  encodeAudio,
  measureFrequencyHz,
  rootMeanSquare,
  silence,
  tone,
  videoFile,
  wavFile,
} from "../../../support/test-audio.ts";

const folder = mkdtempSync(join(tmpdir(), "decode-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rateHz = 16_000;
let files = 0;

function save(bytes: Uint8Array | string, extension = "bin"): string {
  const path = join(folder, `secret-${files++}.${extension}`);
  writeFileSync(path, bytes);
  return path;
}

function decodeFile(path: string, options: Partial<DecoderOptions> = {}) {
  const decoder = openDecoder(path, { sampleRateHz: rateHz, ...options });
  try {
    const blocks: Float32Array[] = [];
    for (let block = decoder.read(); block !== undefined; block = decoder.read())
      blocks.push(block);
    const samples = joinSamples(blocks);
    return { samples, durationSec: samples.length / rateHz, estimateSec: decoder.durationSec };
  } finally {
    decoder.close();
  }
}

const decode = (bytes: Uint8Array | string, options?: Partial<DecoderOptions>) =>
  decodeFile(save(bytes), options);

function failureOf(bytes: Uint8Array | string, options?: Partial<DecoderOptions>): AppError {
  try {
    decode(bytes, options);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("It was decoded.");
}

/** The tone without its first and last half second, where codecs distort it. */
const middleOf = (samples: Float32Array) =>
  samples.subarray(rateHz / 2, samples.length - rateHz / 2);
/** Time of the first loud sample, in seconds. */
const onsetSec = (samples: Float32Array) =>
  samples.findIndex((sample) => Math.abs(sample) > 0.1) / rateHz;
const slackSec = 0.06;
const threeSec = tone(440, 3, 48_000);

describe("every container", () => {
  for (const container of [...standardContainers, ...extendedContainers]) {
    it(`decodes a tone from ${container}`, () => {
      const { samples, durationSec, estimateSec } = decode(
        encodeAudio(threeSec, 48_000, container),
      );
      expect(Math.abs(durationSec - 3)).toBeLessThan(slackSec);
      expect(Math.abs(estimateSec! - 3)).toBeLessThan(0.25);
      expect(onsetSec(samples)).toBeLessThan(slackSec);
      expect(measureFrequencyHz(middleOf(samples), rateHz)).toBeCloseTo(440, 0);
      expect(rootMeanSquare(middleOf(samples))).toBeCloseTo(0.5 / Math.SQRT2, 1);
    });
  }

  it("decodes the audio of a video file and ignores the pictures", () => {
    const { samples, durationSec } = decode(
      videoFile(3, { samples: threeSec, sampleRateHz: 48_000 }),
    );
    expect(Math.abs(durationSec - 3)).toBeLessThan(slackSec);
    expect(measureFrequencyHz(middleOf(samples), rateHz)).toBeCloseTo(440, 0);
  });
});

describe("wav", () => {
  for (const sampleType of ["u8", "s16", "s24", "s32", "f32"] as const) {
    for (const sampleRateHz of [8000, 16_000, 44_100, 48_000, 96_000]) {
      it(`reads ${sampleType} at ${sampleRateHz} Hz`, () => {
        const { samples, durationSec } = decode(
          wavFile([tone(440, 2, sampleRateHz)], sampleRateHz, { sampleType }),
        );
        expect(durationSec).toBeCloseTo(2, 2);
        expect(measureFrequencyHz(middleOf(samples), rateHz)).toBeCloseTo(440, 1);
        expect(rootMeanSquare(middleOf(samples))).toBeCloseTo(0.5 / Math.SQRT2, 2);
      });
    }
  }

  it("mixes stereo to the mean of both channels", () => {
    const { samples } = decode(wavFile([tone(440, 2, rateHz, 0.8), silence(2, rateHz)], rateHz));
    expect(rootMeanSquare(middleOf(samples))).toBeCloseTo(0.4 / Math.SQRT2, 3);
  });

  it("does not clip where both channels are loud", () => {
    const loud = tone(440, 2, rateHz, 1);
    const { samples } = decode(wavFile([loud, loud], rateHz, { sampleType: "f32" }));
    expect(rootMeanSquare(middleOf(samples))).toBeCloseTo(1 / Math.SQRT2, 3);
    expect(Math.max(...samples)).toBeLessThanOrEqual(1.0001);
  });

  for (const channels of [3, 6, 8]) {
    it(`mixes ${channels} channels`, () => {
      const { samples } = decode(
        wavFile(
          Array.from({ length: channels }, () => tone(440, 2, rateHz)),
          rateHz,
        ),
      );
      expect(rootMeanSquare(middleOf(samples))).toBeCloseTo(0.5 / Math.SQRT2, 3);
    });
  }

  it("replaces samples that are not numbers with silence", () => {
    const sound = tone(440, 1, rateHz);
    sound.fill(NaN, 4000, 4100);
    sound.fill(Infinity, 5000, 5100);
    const { samples } = decode(wavFile([sound], rateHz, { sampleType: "f32" }));
    expect(samples).toHaveLength(rateHz);
    expect(samples.every(Number.isFinite)).toBe(true);
  });
});

describe("streamed and truncated files", () => {
  const sound = { codec: "aac" as const, samples: threeSec, sampleRateHz: 48_000 };

  it("decodes a wav whose header has no length", () => {
    expect(decode(wavFile([threeSec], 48_000, { unknownSizes: true })).durationSec).toBeCloseTo(
      3,
      2,
    );
  });

  it("decodes a webm without a duration, as browsers record it", () => {
    const { durationSec, estimateSec } = decode(
      encodeMedia({ muxer: "webm", audio: { ...sound, codec: "libopus" }, options: { live: "1" } }),
    );
    expect(Math.abs(durationSec - 3)).toBeLessThan(slackSec);
    expect(estimateSec).toBeUndefined();
  });

  it("decodes a fragmented mp4", () => {
    const { durationSec } = decode(
      encodeMedia({
        muxer: "mp4",
        audio: sound,
        options: { movflags: "frag_keyframe+empty_moov+default_base_moof" },
      }),
    );
    expect(Math.abs(durationSec - 3)).toBeLessThan(0.1);
  });

  it("decodes an mp4 whose index is at the start", () => {
    expect(
      decode(encodeMedia({ muxer: "mp4", audio: sound, options: { movflags: "faststart" } }))
        .durationSec,
    ).toBeCloseTo(3, 1);
  });

  for (const container of ["mp3", "mpga", "mpeg", "wav", "webm", "flac", "opus"] as const) {
    it(`decodes the remaining half of a truncated ${container}`, () => {
      const file = encodeAudio(threeSec, 48_000, container);
      const { durationSec, samples } = decode(file.subarray(0, file.length / 2));
      expect(durationSec).toBeGreaterThan(0.4);
      expect(durationSec).toBeLessThan(2.5);
      expect(measureFrequencyHz(samples.subarray(2000, 6000), rateHz)).toBeCloseTo(440, 0);
    });
  }

  it("rejects an mp4 whose index was cut off", () => {
    const file = encodeAudio(threeSec, 48_000, "mp4");
    expect(failureOf(file.subarray(0, file.length / 2)).key).toBe("undecodable_audio");
  });

  const wholeFiles = {
    mp3: encodeAudio(threeSec, 48_000, "mp3"),
    mpga: encodeAudio(threeSec, 48_000, "mpga"),
    mp4: encodeAudio(threeSec, 48_000, "mp4"),
    flac: encodeAudio(threeSec, 48_000, "flac"),
    opus: encodeAudio(threeSec, 48_000, "opus"),
    // Matroska can only be resumed at the next cluster.
    webm: encodeMedia({
      muxer: "webm",
      audio: { ...sound, codec: "libopus" },
      options: { cluster_time_limit: "300" },
    }),
  };
  for (const [container, whole] of Object.entries(wholeFiles)) {
    it(`continues after damage in the middle of a ${container}`, () => {
      const file = Uint8Array.from(whole);
      file.fill(0xa5, Math.floor(file.length * 0.45), Math.floor(file.length * 0.5));
      const { samples, durationSec } = decode(file);
      expect(durationSec).toBeGreaterThan(2.4);
      expect(durationSec).toBeLessThan(3.1);
      expect(measureFrequencyHz(samples.subarray(-rateHz / 2, -2000), rateHz)).toBeCloseTo(440, 0);
    });
  }

  it("decodes concatenated mp3 files as one", () => {
    const file = encodeAudio(threeSec, 48_000, "mp3");
    expect(Math.abs(decode(Buffer.concat([file, file])).durationSec - 6)).toBeLessThan(0.2);
  });

  it("follows a stream whose sample rate changes midway", () => {
    const { samples } = decode(
      Buffer.concat([
        encodeAudio(threeSec, 48_000, "mpga"),
        encodeAudio(tone(440, 3, 16_000), 16_000, "mpga"),
      ]),
    );
    expect(samples.length / rateHz).toBeGreaterThan(5.5);
    expect(measureFrequencyHz(samples.subarray(-2 * rateHz, -rateHz), rateHz)).toBeCloseTo(440, 0);
  });
});

describe("the duration", () => {
  it("starts a delayed audio track with silence, as players do", () => {
    const file = encodeMedia({
      muxer: "mp4",
      video: { codec: "mpeg4", durationSec: 3 },
      audio: { codec: "aac", samples: tone(440, 2, 48_000), sampleRateHz: 48_000, startSec: 0.7 },
    });
    const { samples, durationSec } = decode(file);
    expect(Math.abs(onsetSec(samples) - 0.7)).toBeLessThan(slackSec);
    expect(Math.abs(durationSec - 2.7)).toBeLessThan(slackSec);
  });

  it("drops the start offset where audio is the only track", () => {
    const file = encodeMedia({
      muxer: "mpeg",
      audio: { codec: "mp2", samples: threeSec, sampleRateHz: 48_000, startSec: 700 },
    });
    const { samples, durationSec } = decode(file);
    expect(onsetSec(samples)).toBeLessThan(slackSec);
    expect(Math.abs(durationSec - 3)).toBeLessThan(slackSec);
  });

  it("keeps a pause in a recording as silence", () => {
    const file = encodeMedia({
      muxer: "webm",
      audio: {
        codec: "libopus",
        samples: threeSec,
        sampleRateHz: 48_000,
        pause: { atSec: 1, durationSec: 1.5 },
      },
    });
    const { samples, durationSec } = decode(file);
    expect(Math.abs(durationSec - 4.5)).toBeLessThan(slackSec);
    expect(rootMeanSquare(samples.subarray(1.2 * rateHz, 2.3 * rateHz))).toBeLessThan(0.001);
    expect(rootMeanSquare(samples.subarray(2.7 * rateHz, 4.3 * rateHz))).toBeCloseTo(
      0.5 / Math.SQRT2,
      1,
    );
  });
});

describe("files that cannot be decoded", () => {
  const text = "The audio file could not be decoded or its format is not supported.";

  it("fail with another message than files without audio", () => {
    expect(failureOf("just some words, again and again. ".repeat(100))).toMatchObject({
      key: "undecodable_audio",
      message: text,
      param: "file",
    });
    expect(failureOf(videoFile(1))).toMatchObject({
      key: "undecodable_audio",
      message: "The file has no audio track.",
    });
    expect(
      failureOf(
        encodeMedia({ muxer: "mpeg1video", video: { codec: "mpeg1video", durationSec: 1 } }),
      ),
    ).toMatchObject({ message: "The file has no audio track." });
  });

  it("fail with another error than files that have a header but no samples", () => {
    const tooShort = {
      key: "audio_too_short",
      message: "Audio file is too short. Minimum audio length is 0.1 seconds.",
      param: "file",
    };
    expect(failureOf("")).toMatchObject(tooShort);
    expect(failureOf(wavFile([new Float32Array(0)], 16_000))).toMatchObject(tooShort);
    // Truncated after the header.
    expect(failureOf(wavFile([threeSec], 16_000).subarray(0, 44))).toMatchObject(tooShort);
  });

  it("fail without the path in the message or the cause", () => {
    for (const bytes of ["no sound", "", videoFile(1)]) {
      const error = failureOf(bytes);
      expect(`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`).not.toContain(
        "secret",
      );
    }
    expect(() => openDecoder(join(folder, "secret-nowhere.wav"), { sampleRateHz: rateHz })).toThrow(
      text,
    );
  });

  it("fail when they decode to more than the allowed duration", () => {
    expect(failureOf(encodeAudio(threeSec, 48_000, "flac"), { maxDurationSec: 2 }).key).toBe(
      "audio_too_long",
    );
    expect(decode(encodeAudio(threeSec, 48_000, "flac"), { maxDurationSec: 3 }).durationSec).toBe(
      3,
    );
  });

  it("can be closed twice, and reading after that returns nothing", () => {
    const decoder = openDecoder(save(wavFile([threeSec], 48_000)), { sampleRateHz: rateHz });
    decoder.close();
    decoder.close();
    expect(decoder.read()).toBeUndefined();
  });
});

describe("files that refer to another file", () => {
  const victim = save(wavFile([threeSec], 48_000), "wav");
  const name = basename(victim);
  const attacks: Record<string, string> = {
    "an HLS playlist": `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n${name}\n#EXT-X-ENDLIST\n`,
    "an HLS playlist with a full address": `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://${victim}\n#EXT-X-ENDLIST\n`,
    "a concat script": `ffconcat version 1.0\nfile '${name}'\n`,
    "a DASH manifest": `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="audio/wav"><Representation id="0" bandwidth="1"><BaseURL>${name}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    "a session description":
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
  };
  for (const [kind, content] of Object.entries(attacks)) {
    for (const extension of ["mp3", "m3u8", "ffconcat", "mpd", "sdp"]) {
      it(`are not followed: ${kind} named .${extension}`, () => {
        expect(() => decodeFile(save(content, extension))).toThrow(
          "The audio file could not be decoded",
        );
      });
    }
  }

  it("are not followed by their own name", () => {
    for (const path of [
      `concat:${victim}`,
      `subfile,,start,0,end,0,,:${victim}`,
      "http://127.0.0.1:9/x.mp3",
      `data:audio/wav;base64,UklGRg==`,
    ]) {
      expect(() => openDecoder(path, { sampleRateHz: rateHz })).toThrow(
        "The audio file could not be decoded",
      );
    }
  });
});

it("does not grow in memory while it decodes a long mp3", { timeout: 300_000 }, () => {
  const path = save(
    encodeMedia({
      muxer: "mp3",
      audio: {
        codec: "libmp3lame",
        samples: tone(440, 20 * 60, 8000),
        sampleRateHz: 8000,
        bitRate: 16_000,
      },
    }),
  );
  decode(wavFile([threeSec], 48_000));
  const decoder = openDecoder(path, { sampleRateHz: rateHz });
  let length = decoder.read()!.length;
  const before = process.memoryUsage.rss();
  let highest = before;
  for (let block = decoder.read(); block !== undefined; block = decoder.read()) {
    length += block.length;
    highest = Math.max(highest, process.memoryUsage.rss());
  }
  decoder.close();
  expect(Math.abs(length / rateHz - 20 * 60)).toBeLessThan(slackSec);
  expect((highest - before) / 2 ** 20).toBeLessThan(60);
});

import { describe, expect, it } from "vitest";
import { joinBytes } from "../../../../main/audio/codec/framing.ts";
import { joinSamples } from "../../../../main/audio/codec/pcm.ts";
import { createPeakExtractor } from "../../../../main/audio/dsp/peaks.ts";
import { findQuietestSample } from "../../../../main/audio/dsp/quietest-sample.ts";
import { noise, silence, tone } from "../../../support/test-audio.ts";

const rateHz = 8000;

describe("the waveform", () => {
  it("holds the minimum and the maximum of each hundredth of a second, however the samples are divided", () => {
    const sound = joinSamples([
      silence(0.01, rateHz),
      Float32Array.from({ length: 80 }, (_, at) => (at === 7 ? 1 : at === 9 ? -0.5 : 0)),
      Float32Array.of(-2),
    ]);
    const draw = (chunks: readonly Float32Array[]): number[] => {
      const peaks = createPeakExtractor(rateHz);
      return [...joinBytes([...chunks.map(peaks.push), peaks.finish()])];
    };
    expect(draw([sound])).toEqual([128, 128, 65, 255, 1, 1]);
    expect(draw([sound.subarray(0, 50), sound.subarray(50, 51), sound.subarray(51)])).toEqual(
      draw([sound]),
    );
  });

  it("is empty without samples", () => {
    expect(createPeakExtractor(rateHz).finish()).toHaveLength(0);
  });
});

describe("the quietest position", () => {
  it("is in the middle of the pause", () => {
    const place = findQuietestSample(
      joinSamples([noise(2, rateHz), silence(0.4, rateHz), noise(1, rateHz)]),
      rateHz,
    );
    expect(place / rateHz).toBeGreaterThan(2.14);
    expect(place / rateHz).toBeLessThan(2.26);
  });

  it("is where the audio is weakest when there is no pause", () => {
    const place = findQuietestSample(
      joinSamples([
        tone(200, 1, rateHz, 0.5),
        tone(200, 0.5, rateHz, 0.1),
        tone(200, 1, rateHz, 0.5),
      ]),
      rateHz,
    );
    expect(place / rateHz).toBeGreaterThan(1.1);
    expect(place / rateHz).toBeLessThan(1.4);
  });

  it("is the end of audio that is shorter than the search window", () => {
    expect(findQuietestSample(noise(0.2, rateHz), rateHz)).toBe(1600);
  });
});

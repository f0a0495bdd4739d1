import { expect, it } from "vitest";
import { createGainControl } from "../../../../main/audio/dsp/gain-control.ts";
import { joinSamples } from "../../../../main/audio/codec/pcm.ts";
import { silence, tone } from "../../../support/test-audio.ts";

const rateHz = 16_000;
const frameSamples = 512;
const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
/** @param chunkSamples of each call */
function applyGain(samples: Float32Array, chunkSamples = samples.length): Float32Array {
  const gainControl = createGainControl(frameSamples, rateHz);
  const parts: Float32Array[] = [];
  for (let from = 0; from < samples.length; from += chunkSamples)
    parts.push(gainControl.process(samples.subarray(from, from + chunkSamples)));
  return joinSamples([...parts, gainControl.finish()]);
}

it("brings soft and loud audio to one level", () => {
  expect(rms(applyGain(tone(440, 1, rateHz, 0.005)).subarray(-rateHz / 2))).toBeCloseTo(0.1, 2);
  const loud = tone(440, 1, rateHz, 0.5);
  expect(applyGain(loud)).toEqual(loud);
});

it("raises soft audio within seconds after loud audio", () => {
  const found = applyGain(joinSamples([tone(440, 1, rateHz, 0.5), tone(440, 4, rateHz, 0.005)]));
  expect(rms(found.subarray(Math.round(1.1 * rateHz), Math.round(1.4 * rateHz)))).toBeLessThan(
    0.02,
  );
  expect(rms(found.subarray(-rateHz / 2))).toBeCloseTo(0.1, 2);
});

it("keeps an onset within full scale and leaves silence silent", () => {
  const found = applyGain(
    joinSamples([silence(2, rateHz), tone(440, 1, rateHz, 0.9), silence(5, rateHz)]),
  );
  expect(found.every((sample) => Math.abs(sample) <= 1)).toBe(true);
  expect(rms(found.subarray(-rateHz))).toBe(0);
});

it("does not raise hiss 90 dB below full scale to the level of speech", () => {
  expect(rms(applyGain(tone(3000, 5, rateHz, 0.00003)))).toBeLessThan(0.003);
});

it.each([30 * frameSamples, 1600, 100])("returns the same for chunks of %i samples", (chunk) => {
  const samples = joinSamples([tone(440, 1, rateHz, 0.5), tone(440, 1.01, rateHz, 0.005)]);
  const found = applyGain(samples, chunk);
  expect(found).toHaveLength(samples.length);
  expect(found).toEqual(applyGain(samples));
});

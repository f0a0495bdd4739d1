import { expect, it } from "vitest";
import { clipSamples, floatToPcm, pcmToFloat } from "../../../../main/audio/codec/pcm.ts";

const integers = (samples: number[]) => [
  ...new Int16Array(floatToPcm(Float32Array.from(samples)).buffer),
];

it("scales by 32768 and clips samples beyond full scale", () => {
  expect(integers([0, 0.5, -0.5, 1, -1, 7, -7])).toEqual([
    0, 16384, -16384, 32767, -32768, 32767, -32768,
  ]);
});

it("rounds halves away from zero for both signs", () => {
  expect(integers([0.5 / 32768, -0.5 / 32768, 0.4 / 32768, -0.4 / 32768])).toEqual([1, -1, 0, 0]);
});

it("maps non-finite samples to silence or full scale, never to noise", () => {
  expect(integers([NaN, Infinity, -Infinity])).toEqual([0, 32767, -32768]);
  expect([...clipSamples(Float32Array.of(NaN, 3, -3, 0.25))]).toEqual([0, 1, -1, 0.25]);
});

it("preserves every 16-bit value in a round trip", () => {
  const every = Int16Array.from({ length: 65536 }, (_, i) => i - 32768);
  const bytes = new Uint8Array(every.buffer);
  expect(Buffer.compare(floatToPcm(pcmToFloat(bytes)), bytes)).toBe(0);
});

it("reads samples that start at an odd byte of their buffer, and drops half a sample at the end", () => {
  const bytes = Uint8Array.of(9, 0, 0x40, 0, 0xc0, 1).subarray(1);
  expect([...pcmToFloat(bytes)]).toEqual([0.5, -0.5]);
});

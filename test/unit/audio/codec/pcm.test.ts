import { expect, it } from "vitest";
import { clipSamples, floatToPcm, pcmToFloat } from "../../../../main/audio/codec/pcm.ts";

const integers = (samples: number[]) => [
  ...new Int16Array(floatToPcm(Float32Array.from(samples)).buffer),
];

it("scales by 32768 and clips what is louder than full scale", () => {
  expect(integers([0, 0.5, -0.5, 1, -1, 7, -7])).toEqual([
    0, 16384, -16384, 32767, -32768, 32767, -32768,
  ]);
});

it("rounds halves away from zero on both sides", () => {
  expect(integers([0.5 / 32768, -0.5 / 32768, 0.4 / 32768, -0.4 / 32768])).toEqual([1, -1, 0, 0]);
});

it("takes non-finite samples for silence or full scale, never for noise", () => {
  expect(integers([NaN, Infinity, -Infinity])).toEqual([0, 32767, -32768]);
  expect([...clipSamples(Float32Array.of(NaN, 3, -3, 0.25))]).toEqual([0, 1, -1, 0.25]);
});

it("brings every 16-bit value back unchanged", () => {
  const every = Int16Array.from({ length: 65536 }, (_, i) => i - 32768);
  const bytes = new Uint8Array(every.buffer);
  expect(Buffer.compare(floatToPcm(pcmToFloat(bytes)), bytes)).toBe(0);
});

it("reads samples that begin at an odd byte of their buffer and leaves out half a sample", () => {
  const bytes = Uint8Array.of(9, 0, 0x40, 0, 0xc0, 1).subarray(1);
  expect([...pcmToFloat(bytes)]).toEqual([0.5, -0.5]);
});

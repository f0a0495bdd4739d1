import { expect, it } from "vitest";
import { trimSilence } from "../../../../../main/engines/tts/kokoro/silence.ts";

const rateHz = 1000;
const withTone = (from: number, to: number, amplitude: number): Float32Array =>
  Float32Array.from({ length: 1000 }, (_, i) =>
    i >= from && i < to ? amplitude * Math.cos(i) : 1e-5 * Math.cos(i),
  );

it("keeps the audible part and a little around it", () => {
  expect(trimSilence(withTone(300, 600, 0.01), rateHz)).toHaveLength(25 + 300 + 60);
});

it("keeps what is there where there is less around it", () => {
  expect(trimSilence(withTone(0, 1000, 0.01), rateHz)).toHaveLength(1000);
});

it("leaves nothing of silence", () => {
  expect(trimSilence(withTone(0, 0, 0), rateHz)).toHaveLength(0);
  expect(trimSilence(new Float32Array(0), rateHz)).toHaveLength(0);
});

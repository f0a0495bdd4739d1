import { expect, it } from "vitest";
import {
  createFilterBank,
  filterBankBands,
} from "../../../../main/engines/diarization/filter-bank.ts";
import { silence } from "../../../support/test-audio.ts";

const rateHz = 16_000;
const filterBank = createFilterBank();

/** A tone, a rising tone, an offset, and noise. */
function mixture(): Float32Array {
  let state = 1;
  return Float32Array.from({ length: rateHz }, (_, n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const low = 0.3 * Math.sin((2 * Math.PI * 220 * n) / rateHz);
    const rising = 0.2 * Math.sin((2 * Math.PI * (300 + 0.1 * n) * n) / rateHz);
    return low + rising + 0.01 + 0.1 * (state / 2 ** 31 - 0.5);
  });
}

it("gives the values of Kaldi", () => {
  const values = filterBank(mixture());
  expect(values).toHaveLength(98 * filterBankBands);
  // From the PyPI package kaldi-native-fbank 1.23.0: 16 kHz, 80 bands, Hamming, no dither, mean over time taken out.
  const bands = [0, 1, 2, 5, 10, 20, 40, 60, 78, 79];
  const expected = {
    0: [1.7478, 0.6705, -0.6402, -0.0061, 5.9819, -0.6618, -1.5487, -0.3726, -0.0992, 0.1143],
    1: [-0.7803, 0.7374, -0.6964, 0.0122, 3.8676, 0.7475, -0.5249, -0.664, -0.6884, 0.0238],
    50: [1.0445, 0.5283, 1.0581, -0.0153, -0.052, -1.0025, 4.5861, 0.2728, 0.1204, 0.9394],
    97: [0.3544, 1.6905, 0.5846, -0.0637, -0.1401, -1.8739, -0.3118, 0.3204, 0.4454, 0.4707],
  };
  for (const [frame, ofFrame] of Object.entries(expected)) {
    for (const [index, value] of ofFrame.entries())
      expect(values[Number(frame) * filterBankBands + (bands[index] ?? 0)]).toBeCloseTo(value, 3);
  }
});

it("has whole frames only, and no infinite values for silence", () => {
  expect(filterBank(silence(0.0249, rateHz))).toHaveLength(0);
  expect(filterBank(silence(0.025, rateHz))).toHaveLength(filterBankBands);
  expect(filterBank(silence(1, rateHz)).every((value) => value === 0)).toBe(true);
});

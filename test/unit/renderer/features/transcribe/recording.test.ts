// From the microphone to the disk: resampling, and a sender that loses nothing.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createResampler, toInt16 } from "../../../../../renderer/bridge/resample.ts";
import {
  createAudioSender,
  type SenderState,
} from "../../../../../renderer/stores/audio-sender.ts";

const tone = (hz: number, rate: number, count: number) =>
  Float32Array.from({ length: count }, (_, index) => Math.sin((2 * Math.PI * hz * index) / rate));
const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

function resampled(samples: Float32Array, from: number, block: number): Float32Array {
  const resampler = createResampler(from, 16_000);
  const out: number[] = [];
  for (let at = 0; at < samples.length; at += block)
    out.push(...resampler.push(samples.subarray(at, at + block)));
  return Float32Array.from(out);
}

describe("resampling", () => {
  for (const rate of [48_000, 44_100, 16_000, 8_000]) {
    it(`preserves a tone from ${rate} Hz`, () => {
      const made = resampled(tone(440, rate, rate), rate, 128);
      expect(made.length).toBeGreaterThan(15_900);
      expect(made.length).toBeLessThanOrEqual(16_000);
      const wanted = tone(440, 16_000, 16_000);
      const worst = made
        .subarray(200, 15_800)
        .reduce(
          (most, value, index) => Math.max(most, Math.abs(value - (wanted[index + 200] ?? 0))),
          0,
        );
      expect(worst).toBeLessThan(0.01);
    });
  }

  it("gives the same result for any block size", () => {
    const sound = tone(1000, 48_000, 9600);
    expect(resampled(sound, 48_000, 77)).toEqual(resampled(sound, 48_000, 128));
  });

  it("removes frequencies that 16 kHz cannot represent", () =>
    expect(rms(resampled(tone(12_000, 48_000, 48_000), 48_000, 128).subarray(200))).toBeLessThan(
      0.003,
    ));

  it("clips samples that are too loud", () =>
    expect([...toInt16(Float32Array.of(0, 1, -1, 2, -3))]).toEqual([
      0, 32_767, -32_767, 32_767, -32_767,
    ]));
});

/** A disk that writes at the requested position and may fail. */
function disk() {
  const samples: number[] = [];
  const failures: string[] = [];
  return {
    samples,
    failures,
    calls: [] as [from: number, count: number][],
    async send(from: number, sound: Int16Array) {
      this.calls.push([from, sound.length]);
      const failure = failures.shift();
      if (failure === "before") throw new Error("The line broke.");
      for (const [index, value] of sound.entries()) samples[from + index] = value;
      if (failure === "after") throw new Error("The answer was lost.");
      return samples.length;
    },
  };
}

function senderTo(target: ReturnType<typeof disk>) {
  let state: SenderState = { storedSamples: 0, recordedSamples: 0, message: undefined };
  const sender = createAudioSender({
    send: (from, sound) => target.send(from, sound),
    onChange: (next) => (state = next),
  });
  let next = 0;
  const record = (count: number) => {
    for (let left = count; left > 0; left -= 800)
      sender.push(Int16Array.from({ length: Math.min(800, left) }, () => next++ % 30_000));
  };
  return {
    sender,
    record,
    state: () => state,
    expectedSamples: () => Array.from({ length: next }, (_, index) => index % 30_000),
  };
}

describe("sending audio", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("sends about every second during recording, and the rest at the end", async () => {
    const target = disk();
    const { sender, record, state, expectedSamples } = senderTo(target);
    record(40_000);
    await vi.advanceTimersByTimeAsync(0);
    expect(state().recordedSamples - state().storedSamples).toBeLessThan(16_000);
    record(300);
    await sender.end();
    expect(target.samples).toEqual(expectedSamples());
    expect(state()).toEqual({ storedSamples: 40_300, recordedSamples: 40_300, message: undefined });
  });

  it("loses and duplicates nothing when a connection breaks before or after the disk wrote", async () => {
    const target = disk();
    target.failures.push("before", "after", "before", "after");
    const { sender, record, state, expectedSamples } = senderTo(target);
    record(50_000);
    await vi.advanceTimersByTimeAsync(100);
    expect(state().message).toBe("The line broke.");
    record(50_000);
    await vi.advanceTimersByTimeAsync(20_000);
    await sender.end();
    expect(target.samples).toEqual(expectedSamples());
  });

  it("reports at the end that it keeps retrying, until everything is stored", async () => {
    const target = disk();
    target.failures.push("before", "before");
    const { sender, record, state, expectedSamples } = senderTo(target);
    record(5000);
    const ended = sender.end();
    await vi.advanceTimersByTimeAsync(100);
    expect(state().message).toBe("The line broke.");
    expect([...sender.unsent().samples]).toEqual(expectedSamples());
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect(target.samples).toEqual(expectedSamples());
  });

  it("catches up in large chunks after an interruption", async () => {
    const target = disk();
    target.failures.push("before");
    const { record } = senderTo(target);
    record(16_000);
    await vi.advanceTimersByTimeAsync(0);
    record(16_000 * 60);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(target.calls.map(([, count]) => count / 16_000)).toEqual([0.25, 20, 20, 20, 1]);
  });
});

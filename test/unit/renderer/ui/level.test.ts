// The level of a microphone, and the warning when there is no sound.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createSilenceWatch,
  displayLevel,
  type InputSignal,
  levelOf,
} from "../../../../renderer/ui/level.ts";

describe("the level", () => {
  it("goes from −60 dB to full scale", () => {
    expect([0, 0.001, 1].map(levelOf)).toEqual([0, 0, 1]);
    expect(levelOf(0.0316)).toBeCloseTo(0.5, 2);
  });

  it("rises at once and falls slowly", () => {
    expect(displayLevel(0.2, 1)).toBe(1);
    expect(displayLevel(1, 0)).toBe(0.85);
  });
});

function startWatch() {
  const reported: InputSignal[] = [];
  const watch = createSilenceWatch((signal) => reported.push(signal));
  watch.start();
  /** Blocks of 50 ms. */
  function play(sec: number, peak: number): void {
    for (let block = 0; block < sec * 20; block += 1) {
      watch.addPeak(peak);
      vi.advanceTimersByTime(50);
    }
  }
  return { watch, reported, play };
}

describe("the watch for silence", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("reports silence after 10 s, and sound as soon as there is some", () => {
    const { reported, play } = startWatch();
    play(9.9, 0.0005);
    expect(reported).toEqual(["waiting"]);
    play(0.2, 0.0005);
    expect(reported).toEqual(["waiting", "silence"]);
    play(0.05, 0.1);
    expect(reported).toEqual(["waiting", "silence", "sound"]);
    play(9, 0);
    play(0.05, 0.1);
    play(9, 0);
    expect(reported).toHaveLength(3);
    play(2, 0);
    expect(reported.at(-1)).toBe("silence");
  });

  it("reports silence if no audio arrives at all", () => {
    const { reported } = startWatch();
    vi.advanceTimersByTime(10_000);
    expect(reported).toEqual(["waiting", "silence"]);
  });

  it("reports nothing during a pause, and waits again after it", () => {
    const { watch, reported, play } = startWatch();
    play(9, 0);
    watch.stop();
    play(20, 0.5);
    watch.start();
    play(9, 0);
    expect(reported).toEqual(["waiting", "waiting"]);
    play(1.1, 0);
    expect(reported.at(-1)).toBe("silence");
  });
});

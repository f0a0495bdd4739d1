// Lengths of pauses in a script, by keys and by dragging.

import { expect, it } from "vitest";
import {
  keyedPauseSec,
  longestPauseSec,
  roundPauseSec,
} from "../../../../../renderer/features/narrate/script/pause-length.ts";

it("steps by a tenth of a second, with Shift or by pages by a second", () => {
  expect(keyedPauseSec(0.7, "ArrowRight", false)).toBe(0.8);
  expect(keyedPauseSec(0.3, "ArrowLeft", false)).toBe(0.2);
  expect(keyedPauseSec(1.2, "ArrowRight", true)).toBe(2.2);
  expect(keyedPauseSec(1.2, "PageUp", false)).toBe(2.2);
  expect(keyedPauseSec(1.2, "PageDown", false)).toBe(0.2);
  expect(keyedPauseSec(1.2, "Home", false)).toBe(0);
});

it("leaves other keys alone", () => {
  for (const key of ["ArrowUp", "ArrowDown", "Tab", "a"])
    expect(keyedPauseSec(1, key, false)).toBeUndefined();
});

it("stays within what a pause may last, in tenths", () => {
  expect(keyedPauseSec(0, "ArrowLeft", false)).toBe(0);
  expect(keyedPauseSec(longestPauseSec, "ArrowRight", true)).toBe(longestPauseSec);
  expect(roundPauseSec(1.26)).toBe(1.3);
  expect(roundPauseSec(-3)).toBe(0);
});

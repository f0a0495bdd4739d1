// Zooming and scrolling of a waveform.

import { describe, expect, it } from "vitest";
import {
  applyWheel,
  followPosition,
  isClosest,
  isWhole,
  scroll,
  show,
  wholeRange,
  zoom,
  zoomToRange,
} from "../../../../renderer/ui/time-view.ts";

const hourSec = 3600;
const whole = wholeRange(hourSec);
const middle = { fromSec: 1000, toSec: 1100 };

describe("zooming", () => {
  it("keeps the time under the pointer at its place", () => {
    expect(zoom(whole, hourSec, 2, 900)).toEqual({ fromSec: 450, toSec: 2250 });
    const near = zoom(middle, hourSec, 4, 1025);
    expect((1025 - near.fromSec) / (near.toSec - near.fromSec)).toBeCloseTo(0.25);
  });

  it("stays within the recording", () => {
    expect(zoom({ fromSec: 0, toSec: 100 }, hourSec, 0.5, 100)).toEqual({ fromSec: 0, toSec: 200 });
    expect(zoom({ fromSec: 3500, toSec: 3600 }, hourSec, 0.5, 3500)).toEqual({
      fromSec: 3400,
      toSec: 3600,
    });
    const out = zoom(middle, hourSec, 0.001, 1050);
    expect([out, isWhole(out, hourSec)]).toEqual([whole, true]);
  });

  it("ends where the peaks have no more detail, and shows a short recording whole", () => {
    const near = zoom(middle, hourSec, 1e9, 1050);
    expect(near.toSec - near.fromSec).toBeCloseTo(5);
    expect([middle, near].map((view) => isClosest(view, hourSec))).toEqual([false, true]);
    expect(isClosest(wholeRange(3), 3)).toBe(true);
    expect(zoom(wholeRange(3), 3, 2, 1)).toEqual(wholeRange(3));
    expect(zoom(wholeRange(0), 0, 2, 0)).toEqual(wholeRange(0));
  });

  it("undoes itself", () => {
    const back = zoom(zoom(middle, hourSec, 2, 1030), hourSec, 0.5, 1030);
    expect(back.fromSec).toBeCloseTo(middle.fromSec);
    expect(back.toSec).toBeCloseTo(middle.toSec);
  });

  it("shows a range with some of what surrounds it", () => {
    expect(zoomToRange({ fromSec: 100, toSec: 200 }, hourSec)).toEqual({ fromSec: 90, toSec: 210 });
    expect(zoomToRange({ fromSec: 100, toSec: 101 }, hourSec)).toEqual({ fromSec: 98, toSec: 103 });
    expect(zoomToRange({ fromSec: 0, toSec: 3500 }, hourSec)).toEqual(whole);
  });
});

describe("scrolling", () => {
  it("stops at the ends", () => {
    expect(scroll(middle, hourSec, 50)).toEqual({ fromSec: 1050, toSec: 1150 });
    expect(scroll(middle, hourSec, -5000)).toEqual({ fromSec: 0, toSec: 100 });
    expect(scroll(middle, hourSec, 5000)).toEqual({ fromSec: 3500, toSec: 3600 });
  });

  it("follows playback page by page, with a little of the previous page", () => {
    expect(followPosition(middle, hourSec, 1099, 1099.05)).toBe(middle);
    expect(followPosition(middle, hourSec, 1099.98, 1100.03)).toEqual({
      fromSec: 1090.03,
      toSec: 1190.03,
    });
  });

  it("stays where somebody has scrolled to while it plays elsewhere, until a jump", () => {
    expect(followPosition(middle, hourSec, 20, 20.05)).toBe(middle);
    expect(followPosition(middle, hourSec, 20, 25)).toEqual({ fromSec: 15, toSec: 115 });
    expect(show(middle, hourSec, 1050)).toBe(middle);
    expect(show(middle, hourSec, 3599)).toEqual({ fromSec: 3500, toSec: 3600 });
  });
});

describe("the wheel", () => {
  const none = { deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, metaKey: false };
  const pointer = { sec: 1050, widthPx: 1000 };
  const turn = (wheel: Partial<typeof none>) =>
    applyWheel(middle, hourSec, { ...none, ...wheel }, pointer);

  it("zooms with Ctrl or Command: a notch by no more than half, a pinch little by little", () => {
    const near = turn({ deltaY: -120, ctrlKey: true });
    expect(near.toSec - near.fromSec).toBeCloseTo(100 / Math.SQRT2);
    expect(turn({ deltaY: -120, metaKey: true })).toEqual(near);
    expect(turn({ deltaY: -3, deltaMode: 1, ctrlKey: true })).toEqual(near);
    const pinched = turn({ deltaY: 2, ctrlKey: true });
    expect(pinched.toSec - pinched.fromSec).toBeCloseTo(100 * 2 ** 0.02);
  });

  it("scrolls by as much as the pointer would move", () => {
    expect(turn({ deltaX: 100 })).toEqual({ fromSec: 1010, toSec: 1110 });
    expect(turn({ deltaY: -100, deltaX: 5 })).toEqual({ fromSec: 990, toSec: 1090 });
    expect(turn({ deltaY: 1, deltaMode: 1 })).toEqual({ fromSec: 1004, toSec: 1104 });
  });
});

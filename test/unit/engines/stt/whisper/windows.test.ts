import { describe, expect, it } from "vitest";
import type { SpeechSegment } from "../../../../../main/engines/engine.ts";
import {
  toFileSec,
  packWindows,
  remainingWindow,
  sampleRateHz,
  type Span,
  findSpanAt,
  createSingleWindow,
  type Window,
  createSubWindow,
} from "../../../../../main/engines/stt/whisper/windows.ts";

const speechSegment = (fromSec: number, toSec: number): SpeechSegment => ({
  samples: new Float32Array(Math.round((toSec - fromSec) * sampleRateHz)).fill(fromSec),
  offsetSec: fromSec,
  startSec: fromSec,
  endSec: toSec,
  voicedSec: toSec - fromSec,
  voiceProb: 1,
});
const pack = (...allSegments: SpeechSegment[]): Window[] => packWindows(allSegments, 3, 30);
const placed = (windows: readonly Window[]) =>
  windows.map(({ spans }) => spans.map(({ speechSegmentIndex: number }) => number));

describe("windows", () => {
  it("hold consecutive speech segments, up to 30 s", () => {
    const windows = pack(
      speechSegment(1, 11),
      speechSegment(12, 22),
      speechSegment(23, 33),
      speechSegment(34, 40),
    );
    expect(placed(windows)).toEqual([[0, 1, 2], [3]]);
    expect(windows[0]?.samples.length).toBe(30 * sampleRateHz);
    expect(windows[0]?.samples[10 * sampleRateHz]).toBe(12);
  });

  it("are separated at a long pause", () => {
    expect(placed(pack(speechSegment(0, 5), speechSegment(7, 9), speechSegment(13, 15)))).toEqual([
      [0, 1],
      [2],
    ]);
  });

  it("divide a speech segment that is longer than one window", () => {
    const windows = pack(speechSegment(0, 5), speechSegment(6, 71));
    expect(placed(windows)).toEqual([[0], [1], [1], [1]]);
    expect(windows.map(({ samples }) => samples.length / sampleRateHz)).toEqual([5, 30, 30, 5]);
    expect(windows[2]?.spans[0]?.fileSec).toBe(36);
  });

  it("hold several speech segments up to a maximum length, and a longer one alone", () => {
    expect(
      placed(
        packWindows(
          [
            speechSegment(0, 12),
            speechSegment(13, 20),
            speechSegment(21, 25),
            speechSegment(26, 50),
          ],
          3,
          20,
        ),
      ),
    ).toEqual([[0, 1], [2], [3]]);
  });

  it("are empty without speech segments", () => {
    expect(pack()).toEqual([]);
  });
});

const quiet = (sec: number): Float32Array => new Float32Array(sec * sampleRateHz);

describe("a single window for the whole file", () => {
  const speechSegments = [
    { ...speechSegment(2, 6), before: quiet(2) },
    { ...speechSegment(8, 12), before: quiet(2), after: quiet(3) },
  ];

  it("holds the silence before, between and after the speech segments, which belongs to none of them", () => {
    const window = createSingleWindow(speechSegments, 3) as Window;
    expect(window.samples.length).toBe(15 * sampleRateHz);
    expect(window.spans).toEqual([
      { speechSegmentIndex: 0, fileSec: 2, windowSec: 2, lengthSec: 4 },
      { speechSegmentIndex: 1, fileSec: 8, windowSec: 8, lengthSec: 4 },
    ]);
    expect([0, 3, 7, 9, 14].map((sec) => toFileSec(sec, findSpanAt(window, sec)))).toEqual([
      2, 3, 6, 9, 12,
    ]);
  });

  it("is not transcribed again where only silence remains", () => {
    const window = createSingleWindow(speechSegments, 3) as Window;
    expect(remainingWindow(window, 12)).toBeUndefined();
    const rest = remainingWindow(window, 7) as Window;
    expect(rest.spans).toEqual([{ speechSegmentIndex: 1, fileSec: 8, windowSec: 1, lengthSec: 4 }]);
    expect(rest.samples.length).toBe(8 * sampleRateHz);
  });

  it("does not hold a long pause, or more than 30 s", () => {
    expect(createSingleWindow(speechSegments, 1)).toBeUndefined();
    expect(
      createSingleWindow([speechSegment(0, 20), { ...speechSegment(21, 30), before: quiet(1) }], 3),
    ).toBeDefined();
    expect(
      createSingleWindow(
        [speechSegment(0, 20), { ...speechSegment(21, 30), before: quiet(1), after: quiet(1) }],
        3,
      ),
    ).toBeUndefined();
    expect(createSingleWindow([], 3)).toBeUndefined();
  });
});

describe("a position in a window", () => {
  const [window] = pack(speechSegment(10, 14), speechSegment(16, 20)) as [Window];

  it("maps to the position of its speech segment in the file", () => {
    expect([0, 3.5, 4, 6, 8].map((sec) => toFileSec(sec, findSpanAt(window, sec)))).toEqual([
      10, 13.5, 16, 18, 20,
    ]);
    expect(toFileSec(99, findSpanAt(window, 99))).toBe(20);
  });

  it("starts a window with the remaining audio", () => {
    const rest = remainingWindow(window, 5) as Window;
    expect(rest.samples.length).toBe(3 * sampleRateHz);
    expect(rest.spans).toEqual([
      { speechSegmentIndex: 1, fileSec: 17, windowSec: 0, lengthSec: 3 },
    ]);
    expect(toFileSec(1, findSpanAt(rest, 1))).toBe(18);
    expect(remainingWindow(window, 7.9)).toBeUndefined();
  });

  it("maps to the same position in a window of some of the speech segments", () => {
    const [shared] = pack(speechSegment(0, 5), speechSegment(6, 8), speechSegment(9, 13)) as [
      Window,
    ];
    const [, second, third] = shared.spans as [Span, Span, Span];
    const alone = createSubWindow(shared, [third]);
    expect(alone.samples.length).toBe(4 * sampleRateHz);
    expect(alone.samples[0]).toBe(9);
    expect(toFileSec(1, findSpanAt(alone, 1))).toBe(10);
    expect(
      createSubWindow(shared, [second, third]).spans.map(({ windowSec }) => windowSec),
    ).toEqual([0, 2]);
  });
});

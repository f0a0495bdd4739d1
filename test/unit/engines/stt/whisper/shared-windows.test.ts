import { describe, expect, it } from "vitest";
import type { LanguageProbability, SpeechSegment } from "../../../../../main/engines/engine.ts";
import {
  hasMissingWords,
  splitByLanguage,
  countWordsBySpan,
} from "../../../../../main/engines/stt/whisper/shared-windows.ts";
import {
  packWindows,
  sampleRateHz,
  type Window,
} from "../../../../../main/engines/stt/whisper/windows.ts";

const speechSegment = (
  fromSec: number,
  toSec: number,
  voicedSec = toSec - fromSec,
): SpeechSegment => ({
  samples: new Float32Array(Math.round((toSec - fromSec) * sampleRateHz)).fill(fromSec),
  offsetSec: fromSec,
  startSec: fromSec,
  endSec: toSec,
  voicedSec,
  voiceProb: 1,
});
const speechSegments = [
  speechSegment(0, 4),
  speechSegment(5, 9),
  speechSegment(10, 12),
  speechSegment(13, 17),
];
const [window] = packWindows(speechSegments, 1.5, 20) as [Window];
const confident = (language: string): LanguageProbability => ({ language, probability: 0.9 });
const uncertain = (language: string): LanguageProbability => ({ language, probability: 0.4 });
const partsOf = (...guesses: LanguageProbability[]): number[][] =>
  splitByLanguage(window, guesses).map(({ spans }) => spans.map((span) => span.speechSegmentIndex));

describe("a window is split", () => {
  it("where the language certainly changes", () => {
    expect(partsOf(confident("de"), confident("en"), confident("en"), confident("de"))).toEqual([
      [0],
      [1, 2],
      [3],
    ]);
    const [, second] = splitByLanguage(window, [
      confident("de"),
      confident("en"),
      confident("en"),
      confident("de"),
    ]);
    expect(second?.samples.length).toBe(6 * sampleRateHz);
    expect(second?.samples[4 * sampleRateHz]).toBe(10);
    expect(second?.spans.map(({ fileSec, windowSec }) => [fileSec, windowSec])).toEqual([
      [5, 0],
      [10, 4],
    ]);
  });

  it("but not where the language is uncertain", () => {
    expect(partsOf(confident("de"), uncertain("en"), uncertain("pt"), confident("de"))).toEqual([
      [0, 1, 2, 3],
    ]);
    expect(partsOf(uncertain("nl"), confident("de"), uncertain("en"), confident("fr"))).toEqual([
      [0, 1, 2],
      [3],
    ]);
  });

  it("but not where there is only one language", () => {
    expect(
      splitByLanguage(window, [confident("de"), confident("de"), confident("de"), confident("de")]),
    ).toEqual([window]);
  });
});

describe("words are missing", () => {
  it("where a speech segment has almost none", () => {
    expect(hasMissingWords(window, [8, 7, 4, 9], speechSegments)).toBe(false);
    expect(hasMissingWords(window, [8, 1, 4, 9], speechSegments)).toBe(true);
  });

  it("but not where there was hardly any voice", () => {
    const breath = [
      speechSegment(0, 4),
      speechSegment(5, 9, 0.4),
      speechSegment(10, 12),
      speechSegment(13, 17),
    ];
    expect(hasMissingWords(window, [8, 0, 4, 9], breath)).toBe(false);
  });

  it("but not in the part that is transcribed again anyway", () => {
    expect(hasMissingWords(window, [8, 7, 0, 0], speechSegments, 9)).toBe(false);
    expect(hasMissingWords(window, [8, 7, 0, 0], speechSegments, 10)).toBe(true);
  });

  it("by the times of whole segments, where words have no times", () => {
    const counted = countWordsBySpan(window, [
      { startSec: 0, endSec: 6, words: 12 },
      { startSec: 8, endSec: 14, words: 9 },
    ]);
    expect(counted).toEqual([8, 4, 3, 6]);
    // One segment that ends after the first speech segment, or one that covers all of them.
    expect(
      hasMissingWords(
        window,
        countWordsBySpan(window, [{ startSec: 0, endSec: 4, words: 9 }]),
        speechSegments,
      ),
    ).toBe(true);
    expect(
      hasMissingWords(
        window,
        countWordsBySpan(window, [{ startSec: 0, endSec: 14, words: 9 }]),
        speechSegments,
      ),
    ).toBe(true);
  });
});

import { expect, it } from "vitest";
import {
  createVadSegmenter,
  type SegmentationPolicy,
  type SpeechSegmentSpan,
  sentenceSegmentationPolicy,
} from "../../../../main/audio/dsp/vad-segmenter.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

/** Frames of 32 ms, as in Silero VAD. */
const frameSec = 0.032;
const voice = (sec: number, prob = 0.9) => new Float32Array(Math.round(sec / frameSec)).fill(prob);
const silence = (sec: number) => voice(sec, 0.02);
const join = (...parts: Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));
const durationOf = (probabilities: Float32Array) => probabilities.length * frameSec;

/** Pushes the probabilities all at once, or in portions of `portion` frames. */
function cut(
  probabilities: Float32Array,
  portion = Infinity,
  policy?: SegmentationPolicy,
  durationSec = durationOf(probabilities),
): SpeechSegmentSpan[] {
  const cutter = createVadSegmenter(frameSec, policy);
  const segments: SpeechSegmentSpan[] = [];
  for (let at = 0; at < probabilities.length; at += portion) {
    segments.push(...cutter.push(probabilities.subarray(at, at + portion)));
    if (portion === Infinity) break;
  }
  return [...segments, ...cutter.finish(durationSec)];
}

/** Deterministic random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Realistic speech: voice and pauses of all lengths, clicks, and unsteady probabilities. */
function someSpeech(seed: number): Float32Array {
  const random = seeded(seed);
  const parts: Float32Array[] = [];
  for (let round = 0; round < 40; round += 1) {
    const kind = random();
    const sec = kind < 0.15 ? random() * 0.12 : kind < 0.85 ? 0.2 + random() * 5 : random() * 40;
    parts.push(
      voice(sec, 1).map(() => 0.36 + 0.64 * random()),
      silence(random() < 0.5 ? random() * 0.4 : random() * 3),
    );
  }
  return join(...parts);
}

const seeds = [1, 2, 3, 4, 5, 6];
const near = (sec: number) => expect.closeTo(sec, 1) as number;

it("finds nothing in silence and in empty input", () => {
  expect(cut(silence(30))).toEqual([]);
  expect(cut(new Float32Array(0))).toEqual([]);
});

it("finds the voice with a little silence around it", () => {
  const [segment, ...rest] = cut(join(silence(2), voice(3), silence(2)));
  expect(rest).toEqual([]);
  expect(segment).toMatchObject({
    startSec: near(2),
    endSec: near(5),
    fromSec: near(2 - sentenceSegmentationPolicy.leadSec),
    toSec: near(5 + sentenceSegmentationPolicy.tailSec),
    voicedSec: near(3),
  });
  expect(segment?.voiceProb).toBeCloseTo(0.9, 3);
});

it("keeps all of the silence before a voice that starts with the file", () => {
  const [segment] = cut(join(silence(0.1), voice(2), silence(1)));
  expect(segment?.fromSec).toBe(0);
});

it("never exceeds the bounds of the file", () => {
  const speech = join(silence(1), voice(3));
  const [segment] = cut(speech, Infinity, undefined, durationOf(speech) - 0.02);
  expect(segment?.endSec).toBe(durationOf(speech) - 0.02);
  expect(segment?.toSec).toBe(durationOf(speech) - 0.02);
});

it("ends a segment at a long pause but not at a short one", () => {
  const segments = cut(join(voice(2), silence(0.3), voice(1), silence(1), voice(2), silence(1)));
  expect(segments.map(({ startSec, endSec }) => [startSec, endSec])).toEqual([
    [near(0), near(3.3)],
    [near(4.3), near(6.3)],
  ]);
});

it("ends a segment that is long enough at the next pause, however short", () => {
  const segments = cut(join(voice(7), silence(0.25), voice(3), silence(1)));
  expect(segments.map(({ endSec }) => endSec)).toEqual([near(7), near(10.25)]);
});

it("does not find a pause where the voice only falters", () => {
  const segments = cut(join(voice(7), voice(0.1, 0.1), voice(2), silence(1)));
  expect(segments).toHaveLength(1);
});

it("drops clicks", () => {
  expect(cut(join(silence(1), voice(0.06), silence(1), voice(0.09), silence(1)))).toEqual([]);
});

it("cuts speech without pauses at its weakest frame", () => {
  const speech = join(silence(1), voice(20), silence(1));
  const weakest = Math.round(10 / frameSec);
  speech[weakest] = 0.55;
  const segments = cut(speech);
  expect(segments.map(({ startSec, endSec }) => [startSec, endSec])).toEqual([
    [near(1), near(10)],
    [near(10), near(21)],
  ]);
  expect(segments[0]?.endSec).toBe(weakest * frameSec);
});

it("takes the weakest frame from the second half only, so that no segment is tiny", () => {
  const speech = voice(60);
  speech[Math.round(2 / frameSec)] = 0.4;
  for (const { startSec, endSec } of cut(speech).slice(0, -1))
    expect(endSec - startSec).toBeGreaterThanOrEqual(
      sentenceSegmentationPolicy.maxSec / 2 - frameSec,
    );
});

it("returns a segment as soon as it is final", () => {
  const cutter = createVadSegmenter(frameSec);
  expect(cutter.push(join(silence(1), voice(3), silence(0.4)))).toEqual([]);
  expect(cutter.push(silence(0.8))).toHaveLength(1);
  expect(cutter.finish(5.2)).toEqual([]);
});

it.each(seeds)(
  "returns the same segments however the probabilities are divided (seed %i)",
  (seed) => {
    const speech = someSpeech(seed);
    const whole = cut(speech);
    expect(whole.length).toBeGreaterThan(10);
    for (const portion of [1, 7, 31, 187, 1875]) expect(cut(speech, portion)).toEqual(whole);
  },
);

it.each(seeds)(
  "returns segments in order, without overlap and within the maximum length (seed %i)",
  (seed) => {
    const segments = cut(someSpeech(seed), 187);
    for (const [index, { fromSec, startSec, endSec, toSec }] of segments.entries()) {
      expect(fromSec).toBeLessThanOrEqual(startSec);
      expect(startSec).toBeLessThan(endSec);
      expect(endSec).toBeLessThanOrEqual(toSec);
      expect(endSec - startSec).toBeLessThanOrEqual(sentenceSegmentationPolicy.maxSec + frameSec);
      expect(fromSec).toBeGreaterThanOrEqual((segments[index - 1]?.toSec ?? 0) - 1e-9);
    }
  },
);

it.each(seeds)("loses no voice except clicks (seed %i)", (seed) => {
  const speech = someSpeech(seed);
  const segments = cut(speech, 100);
  const covered = (sec: number) =>
    segments.some(({ fromSec, toSec }) => sec >= fromSec - 1e-9 && sec <= toSec + 1e-9);
  let lostFrames = 0;
  for (let frame = 0; frame <= speech.length; frame += 1) {
    const isLost =
      (speech[frame] ?? 0) >= sentenceSegmentationPolicy.enterProb &&
      !covered((frame + 0.5) * frameSec);
    lostFrames = isLost ? lostFrames + 1 : 0;
    expect(lostFrames * frameSec).toBeLessThan(sentenceSegmentationPolicy.minVoiceSec);
  }
});

it.each(seeds)(
  "reports the voiced seconds and the mean probability of each segment (seed %i)",
  (seed) => {
    const speech = someSpeech(seed);
    for (const { startSec, endSec, voicedSec, voiceProb } of cut(speech)) {
      const frames = speech.subarray(
        Math.round(startSec / frameSec),
        Math.round(endSec / frameSec),
      );
      expect(voicedSec).toBeCloseTo(
        frames.filter((prob) => prob >= sentenceSegmentationPolicy.quitProb).length * frameSec,
        6,
      );
      expect(voiceProb).toBeCloseTo(frames.reduce((sum, prob) => sum + prob, 0) / frames.length, 6);
    }
  },
);

it("stays fast and small over a day of speech", async () => {
  const cutter = createVadSegmenter(frameSec);
  const minute = join(...Array.from({ length: 10 }, () => join(voice(5), silence(1))));
  let segments = 0;
  const spentMs = await cpuMs(() => {
    for (let at = 0; at < 24 * 60; at += 1) segments += cutter.push(minute).length;
  });
  expect(segments).toBeGreaterThan(24 * 60 * 9);
  expect(spentMs).toBeLessThan(5000);
});

it("tells of speech as open from its first syllable until its segment is final", () => {
  const random = seeded(7);
  const segmenter = createVadSegmenter(frameSec);
  const opened: { atSec: number; fromSec: number | undefined }[] = [];
  const segments: { fromSec: number; startSec: number; finalAtSec: number }[] = [];
  for (let frame = 0, isVoice = false; frame < 20_000; frame += 1) {
    if (random() < (isVoice ? 0.02 : 0.05)) isVoice = !isVoice;
    const atSec = (frame + 1) * frameSec;
    const probability = isVoice ? 0.6 + 0.4 * random() : 0.3 * random();
    for (const { fromSec, startSec } of segmenter.push(Float32Array.of(probability)))
      segments.push({ fromSec, startSec, finalAtSec: atSec });
    opened.push({ atSec, fromSec: segmenter.openSpeech()?.fromSec });
  }
  expect(segments.length).toBeGreaterThan(50);
  for (const { fromSec, startSec, finalAtSec } of segments) {
    const meanwhile = opened.filter(
      ({ atSec }) => atSec > startSec + 0.2 && atSec < finalAtSec - frameSec / 2,
    );
    for (const open of meanwhile) expect(open.fromSec ?? Infinity).toBeLessThanOrEqual(fromSec);
  }
});

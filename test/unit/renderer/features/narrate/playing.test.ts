import { describe, expect, it, vi } from "vitest";
import type { NarrationSentence } from "../../../../../main/contract/narration.ts";
import {
  splitPeaksByTake,
  combinePeaks,
} from "../../../../../renderer/features/narrate/playing/peaks-loader.ts";
import {
  createSentencePlaybackFactory,
  type SentencePlayback,
} from "../../../../../renderer/features/narrate/playing/sentence-playback.ts";
import { timeStretch } from "../../../../../renderer/features/narrate/playing/time-stretch.ts";
import {
  sentenceIndexAt,
  computeTimeline,
} from "../../../../../renderer/features/narrate/playing/timeline.ts";
import { computeNarrationMetrics } from "../../../../../renderer/features/narrate/panel/narration-metrics.ts";
import { sentence } from "./sentences.ts";

describe("sentences on the timeline", () => {
  it("follow one another with their pauses; the duration of missing takes is estimated from existing ones", () => {
    const line = computeTimeline(
      [sentence("aaaa", { audioSec: 2 }), sentence("bb"), sentence("cc", { audioSec: 1 })],
      1,
    );
    expect(line.startsSec).toEqual([0, 2.5, 4]);
    expect(line).toMatchObject({ totalSec: 5.5, generatedSec: 4, isEstimated: true });
    expect([-1, 0, 2.49, 2.5, 99].map((sec) => sentenceIndexAt(line, sec))).toEqual([
      0, 0, 0, 1, 2,
    ]);
  });

  it("are counted, and the price of missing ones is computed per thousand characters", () => {
    const model = {
      id: "up/tts",
      state: "ready",
      kind: "text-to-speech",
      ownedBy: "up",
      channel: "up",
      perThousandCharactersUsd: 15,
    } as const;
    const figures = computeNarrationMetrics(
      [sentence("aaaa", { audioSec: 2, chapter: "A" }), sentence("b".repeat(100))],
      1,
      model,
    );
    expect(figures).toMatchObject({
      characterCount: 104,
      sentenceCount: 2,
      generatedCount: 1,
      chapterCount: 1,
      remainingUsd: 1.5,
    });
    expect(
      computeNarrationMetrics([sentence("aa")], 1, { ...model, channel: "local" }).remainingUsd,
    ).toBe(0);
    const { perThousandCharactersUsd: _, ...unpriced } = model;
    expect(computeNarrationMetrics([sentence("aa")], 1, unpriced).remainingUsd).toBeUndefined();
  });
});

describe("the waveform of a narration", () => {
  it("keeps existing takes around a stale sentence, which is drawn with its estimated duration", () => {
    const [first, second, third] = [
      sentence("aa", { audioSec: 0.02, pauseSec: 0.01 }),
      sentence("bb", { audioSec: 0.04, pauseSec: 0 }),
      sentence("cc", { audioSec: 0.02, pauseSec: 0 }),
    ];
    const parts = splitPeaksByTake(
      Uint8Array.of(1, 201, 2, 202, 128, 128, 3, 203, 4, 204, 5, 205, 6, 206, 7, 207, 8, 208),
      [first, second, third],
    );
    expect([...combinePeaks(parts, [first, { ...second, takes: [] }, third])]).toEqual([
      1, 201, 2, 202, 128, 128, 128, 128, 128, 128, 7, 207, 8, 208,
    ]);
    expect([...combinePeaks(parts, [{ ...first, takes: [] }])]).toEqual([]);
  });
});

/** Upward zero crossings. */
const crossings = (samples: Float32Array) =>
  samples.reduce(
    (count, value, at) => count + (value >= 0 && (samples[at - 1] ?? 0) < 0 ? 1 : 0),
    0,
  );

describe("speech at another speed", () => {
  const sampleRateHz = 24_000;
  const tone = Float32Array.from(
    { length: sampleRateHz },
    (_, at) => 0.5 * Math.sin((2 * Math.PI * 200 * at) / sampleRateHz),
  );

  it.each([0.5, 1.5, 2])(
    "has the expected duration and keeps its pitch and loudness (%f)",
    (rate) => {
      const out = timeStretch(tone, rate, sampleRateHz);
      expect(out.length).toBe(Math.round(tone.length / rate));
      expect(crossings(out) / (out.length / sampleRateHz)).toBeCloseTo(200, -1);
      const middle = out.slice(out.length / 4, (out.length * 3) / 4);
      expect(
        Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length),
      ).toBeCloseTo(0.5 / Math.SQRT2, 1);
    },
  );
});

/** An audio clock that the test moves; records what was scheduled on it. */
function clock() {
  const started: {
    atSec: number;
    offsetSec: number;
    durationSec: number;
    factor: number;
    stop: () => void;
  }[] = [];
  const context = {
    currentTime: 0,
    destination: {},
    resume: async () => {},
    suspend: async () => {},
    close: async () => {},
    createGain: () => ({ connect: () => {}, gain: { value: 1, setTargetAtTime: () => {} } }),
    createBufferSource() {
      const node = {
        buffer: undefined as { duration: number } | undefined,
        factor: 1,
        connect: ({ gain }: { gain: { value: number } }) => void (node.factor = gain.value),
        stop: vi.fn<() => void>(),
        start: (atSec: number, offsetSec: number) =>
          void started.push({
            atSec,
            offsetSec,
            durationSec: node.buffer?.duration ?? 0,
            factor: node.factor,
            stop: node.stop,
          }),
      };
      return node;
    },
  };
  return { context, started };
}

/** A playback of sentences whose audio has the duration of their takes. */
function playing(sentences: readonly NarrationSentence[]) {
  const { context, started } = clock();
  const state = {
    sentences,
    needed: [] as number[],
    whenNeeded: Promise.resolve(),
    reports: {} as Record<string, unknown>,
  };
  const lengthOf = (takeId: string) =>
    state.sentences.flatMap(({ takes }) => takes).find(({ id }) => id === takeId)?.durationSec ?? 0;
  let playback: SentencePlayback | undefined;
  createSentencePlaybackFactory(
    {
      sentences: () => state.sentences,
      speed: () => 1,
      requestGeneration(index) {
        state.needed.push(index);
        return state.whenNeeded;
      },
      createTakeAudioCache: () => ({
        getCached: (id, rate) => ({ duration: lengthOf(id) / rate }) as AudioBuffer,
        load: async (id, rate) => ({ duration: lengthOf(id) / rate }) as AudioBuffer,
      }),
      createContext: () => context as unknown as AudioContext,
    },
    (made) => (playback = made ?? playback),
  )((report) => void Object.assign(state.reports, report));
  if (playback === undefined) throw new Error("no playback was made");
  const beat = (sec: number) => {
    context.currentTime = sec;
    playback?.onSentencesChanged();
  };
  return { playback, started, state, beat };
}

describe("playing sentences", () => {
  it.each(["pause", "close"] as const)(
    "does not start when the first take is generated after a %s",
    async (what) => {
      const { playback, state } = playing([sentence("a")]);
      const made = Promise.withResolvers<void>();
      state.whenNeeded = made.promise;
      const started = playback.play();
      await vi.waitFor(() => expect(state.needed).toEqual([0]));
      playback[what]();
      made.resolve();
      await started;
      expect(state.reports["isPlaying"]).not.toBe(true);
      playback.close();
    },
  );

  it("schedules them one after the other without gaps, with pauses between them", async () => {
    const { playback, started } = playing([
      sentence("a", { audioSec: 2 }),
      sentence("b", { audioSec: 1 }),
      sentence("c", { audioSec: 1, pauseSec: 0 }),
    ]);
    await playback.play();
    const [first = 0, ...others] = started.map(({ atSec }) => atSec);
    expect(others.map((atSec) => Number((atSec - first).toFixed(6)))).toEqual([2.5, 4]);
    playback.close();
  });

  it("plays each as loud as its role is set, also when that changes meanwhile", async () => {
    const softer = sentence("b", { audioSec: 1, gainDb: -6 });
    const { playback, started, state, beat } = playing([sentence("a", { audioSec: 2 }), softer]);
    await playback.play();
    expect(started.map(({ factor }) => Number(factor.toFixed(2)))).toEqual([1, 0.5]);
    state.sentences = [sentence("a", { audioSec: 2 }), { ...softer, gainDb: 6 }];
    beat(1);
    expect(started[1]?.stop).toHaveBeenCalled();
    expect(started[2]?.factor).toBeCloseTo(2, 1);
    playback.close();
  });

  it("waits for a missing take, requests it once, and continues when it exists", async () => {
    const { playback, started, state, beat } = playing([
      sentence("a", { audioSec: 2 }),
      sentence("b"),
    ]);
    await playback.play();
    beat(5);
    beat(6);
    expect(state.needed).toEqual([1]);
    expect(playback.isWaiting()).toBe(true);
    expect(playback.playingSentenceId()).toBe("a");
    state.sentences = [sentence("a", { audioSec: 2 }), sentence("b", { audioSec: 1 })];
    beat(7);
    expect(started).toHaveLength(2);
    expect(started[1]?.atSec).toBeGreaterThanOrEqual(7);
    playback.close();
  });

  it("reports the current sentence, seeks within one, and ends", async () => {
    const { playback, started, state, beat } = playing([
      sentence("a", { audioSec: 2 }),
      sentence("b", { audioSec: 2, pauseSec: 0 }),
    ]);
    playback.seek(3);
    await playback.play();
    expect(started[0]?.offsetSec).toBeCloseTo(0.5);
    beat(0.5);
    expect(playback.playingSentenceId()).toBe("b");
    expect(playback.currentSec()).toBeCloseTo(3.47, 1);
    beat(3);
    expect(state.reports).toMatchObject({ isPlaying: false, positionSec: 4.5 });
    playback.close();
  });

  it("plays the new take of an upcoming sentence, not the old one", async () => {
    const { playback, started, state, beat } = playing([
      sentence("a", { audioSec: 2 }),
      sentence("b", { audioSec: 1 }),
    ]);
    await playback.play();
    const take = { id: "take-2", durationSec: 3, madeAtMs: 1, model: "tts-1", channel: "local" };
    const [a, b] = state.sentences;
    if (a === undefined || b === undefined) throw new Error("no sentences");
    state.sentences = [a, { ...b, takes: [...b.takes, take], chosenTake: take.id }];
    beat(0.1);
    expect(started[1]?.stop).toHaveBeenCalled();
    expect(started.at(-1)).toMatchObject({ durationSec: 3 });
    expect(started.at(-1)?.atSec).toBeCloseTo(started[1]?.atSec ?? 0);
    playback.close();
  });
});

// The engine of live text, with a scripted recognizer and a clock that only the test moves.

import { expect, it } from "vitest";
import type { OpenSpeech, SpeechSegmentSpan } from "../../../../main/audio/dsp/vad-segmenter.ts";
import {
  createLiveSession,
  type Draft,
  type LiveRecognizer,
} from "../../../../main/jobs/transcription/live/live-session.ts";
import { createPassPacing } from "../../../../main/jobs/transcription/live/pass-pacing.ts";
import {
  createWordAgreement,
  textAfter,
} from "../../../../main/jobs/transcription/live/word-agreement.ts";
import type { TranscribedSegment } from "../../../../main/library/transcript-rows.ts";

it("settles the words that two passes in a row agree on, and shows no word that may be cut", () => {
  const agreement = createWordAgreement();
  expect(agreement.update("The cap", true)).toEqual({ settled: "", unsettled: "The" });
  expect(agreement.update("The captain knows new", true)).toEqual({
    settled: "The",
    unsettled: " captain knows",
  });
  expect(agreement.update("the captain, knows nearly all", false)).toEqual({
    settled: "The captain, knows",
    unsettled: " nearly all",
  });
});

it("keeps settled words, whatever a later pass makes of them", () => {
  const agreement = createWordAgreement();
  agreement.update("He can not go", false);
  expect(agreement.update("He can not go", false).settled).toBe("He can not go");
  // One word less, and another word.
  expect(agreement.update("He cannot go today", false)).toEqual({
    settled: "He can not go",
    unsettled: " today",
  });
  const other = createWordAgreement();
  other.update("one two three", false);
  other.update("one two three", false);
  expect(other.update("one and two three four", false)).toEqual({
    settled: "one two three",
    unsettled: " four",
  });
});

it("compares characters where words are not separated", () => {
  const agreement = createWordAgreement();
  agreement.update("今日は天", false);
  expect(agreement.update("今日は天気", false)).toEqual({ settled: "今日は天", unsettled: "気" });
});

it("finds what follows text that was passed on", () => {
  expect(textAfter("The captain knows them.", "The captain")).toBe(" knows them.");
  expect(textAfter("The captain knows.", "")).toBe("The captain knows.");
  expect(textAfter("Captain knows.", "The captain knows")).toBe("");
});

it("makes fewer passes as they take longer", () => {
  let nowMs = 0;
  const pacing = createPassPacing(() => nowMs);
  const intervalAfter = (tookMs: number): number => {
    const startMs = nowMs;
    const end = pacing.startPass();
    nowMs += tookMs;
    end();
    while (!pacing.isDue()) nowMs += 10;
    return nowMs - startMs;
  };
  expect(intervalAfter(100)).toBe(400);
  expect(intervalAfter(900)).toBeGreaterThan(1200);
  expect(intervalAfter(900)).toBeGreaterThan(1700);
});

const pcmOf = (sec: number): Uint8Array => new Uint8Array(Math.round(sec * 16_000) * 2);
const secOf = (pcm: Uint8Array): number => pcm.length / 32_000;
const spanOf = (startSec: number, endSec: number): SpeechSegmentSpan => ({
  fromSec: Math.max(0, startSec - 0.3),
  toSec: endSec + 0.3,
  startSec,
  endSec,
  voicedSec: endSec - startSec,
  voiceProb: 1,
});
const segmentOf = (text: string, { startSec, endSec }: SpeechSegmentSpan): TranscribedSegment => ({
  startSec,
  endSec,
  text,
  words: [],
  language: "en",
  avgLogprob: 0,
  noSpeechProb: 0,
  compressionRatio: 1,
  isEdited: false,
});

/** Somebody says a word each half second, from 1 s to `untilSec`; the recognizer hears each word when it is over. */
function openSession({
  untilSec = Infinity,
  draft,
}: { untilSec?: number; draft?: LiveRecognizer["draft"] } = {}) {
  let nowMs = 0;
  let heardSec = 0;
  let isFinal = false;
  const drafts: Draft[] = [];
  const settled: string[] = [];
  const failures: string[] = [];
  const lengths: number[] = [];
  const session = createLiveSession({
    read: (from, to) => Promise.resolve(pcmOf((to - from) / 16_000)),
    recognizer: {
      detectSpeech(pcm, endsSpeech) {
        heardSec += secOf(pcm);
        const endSec = Math.min(heardSec, untilSec);
        const isOver = endsSpeech || heardSec >= untilSec + 0.6;
        const openSpeech: OpenSpeech = { fromSec: 0.7, startSec: 1, voicedUntilSec: endSec };
        const isNew = isOver && !isFinal && heardSec > 1;
        isFinal ||= isNew;
        return Promise.resolve({
          speechSegments: isNew ? [spanOf(1, endSec)] : [],
          openSpeech: heardSec < 1.2 || isFinal ? undefined : openSpeech,
        });
      },
      draft:
        draft ??
        ((pcm) => {
          lengths.push(secOf(pcm));
          nowMs += 100;
          const count = Math.floor((secOf(pcm) - 0.3) / 0.5);
          return Promise.resolve(Array.from({ length: count }, (_, i) => `word${i}`).join(" "));
        }),
      settle: (_, span) => Promise.resolve([segmentOf("the whole", span)]),
      close: () => {},
    },
    onDraft: (news) => drafts.push(news),
    onSettled: (startSec, segments) => void settled.push(`${startSec} ${segments[0]?.text}`),
    onFailure: (error, what) => failures.push(`${what}: ${(error as Error).message}`),
    now: () => nowMs,
  });
  let sec = 0;
  return {
    session,
    drafts,
    settled,
    failures,
    lengths,
    /** Passes time in real time, a fifth of a second at once. */
    async hear(passSec: number) {
      for (const endSec = sec + passSec; sec < endSec - 0.01;) {
        sec += 0.2;
        nowMs += 200;
        session.onSamples(Math.round(sec * 16_000));
        for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      }
    },
  };
}

it("shows words while they are spoken; nothing that is settled changes", async () => {
  const { drafts, hear } = openSession();
  await hear(6);
  expect(drafts.length).toBeGreaterThan(5);
  for (const [index, { settled }] of drafts.entries())
    expect(drafts[index + 1]?.settled.startsWith(settled) ?? true).toBe(true);
  expect(drafts.at(-1)?.settled).toMatch(/^word0 word1 .*word7/);
});

it("settles speech by a last pass when it has ended, and drafts no silence", async () => {
  const { drafts, settled, lengths, hear } = openSession({ untilSec: 3 });
  await hear(8);
  expect(settled).toEqual(["1 the whole"]);
  expect(new Set(drafts.map(({ startSec }) => startSec))).toEqual(new Set([1]));
  expect(Math.max(...lengths)).toBeLessThan(3);
});

it("ends speech when it is told to, however short the pause", async () => {
  const { settled, hear, session } = openSession();
  await hear(2);
  await session.endSpeech();
  expect(settled).toEqual(["1 the whole"]);
});

it("goes on without drafts where a draft fails or cannot be had", async () => {
  const failing = openSession({ untilSec: 3, draft: () => Promise.reject(new Error("no")) });
  await failing.hear(5);
  expect(failing.failures).toEqual(["draft: no"]);
  expect(failing.settled).toEqual(["1 the whole"]);
  let count = 0;
  const without = openSession({
    untilSec: 3,
    draft: () => {
      count += 1;
      return Promise.resolve(undefined);
    },
  });
  await without.hear(5);
  expect([count, without.failures, without.settled]).toEqual([1, [], ["1 the whole"]]);
});

it("keeps only the audio that may be read again", async () => {
  const { session, hear } = openSession({ untilSec: 3 });
  await hear(2);
  expect(session.neededFrom()).toBe(0);
  await hear(8);
  expect(session.neededFrom()).toBe(8 * 16_000);
});

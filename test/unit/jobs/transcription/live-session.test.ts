// The engine of live text, with a scripted recognizer and a clock that only the test moves.

import { expect, it } from "vitest";
import type { OpenSpeech } from "../../../../main/audio/dsp/vad-segmenter.ts";
import type { SpeechSpan } from "../../../../main/contract/speech.ts";
import type {
  Draft,
  LiveRecognizer,
} from "../../../../main/jobs/transcription/live/live-recognizer.ts";
import { createLiveSession } from "../../../../main/jobs/transcription/live/live-session.ts";
import { createPassPacing } from "../../../../main/jobs/transcription/live/pass-pacing.ts";
import { createSettling } from "../../../../main/jobs/transcription/live/settling.ts";
import {
  createWordAgreement,
  type RecognizedText,
  textAfter,
} from "../../../../main/jobs/transcription/live/word-agreement.ts";
import type { TranscribedSegment } from "../../../../main/library/transcript-rows.ts";

/** What is settled and shown after passes that recognized these texts, each over half a second more. */
const afterPasses = (...texts: string[]) =>
  afterTimedPasses(...texts.map((text, index) => ({ text, audioSec: index / 2 })));
const afterTimedPasses = (...passes: RecognizedText[]) => {
  const agreement = createWordAgreement();
  return passes.map((each) => agreement.update(each)).at(-1);
};

it("shows the words that two passes in a row agree on, and settles those of three", () => {
  expect(afterPasses("The cap")).toEqual({ settled: "", unsettled: "" });
  const two = ["The cap", "The captain knows new"];
  expect(afterPasses(...two)).toEqual({ settled: "", unsettled: "The" });
  expect(afterPasses(...two, "the captain, knows nearly all")).toEqual({
    settled: "the",
    unsettled: " captain, knows",
  });
});

/** Passes at these times recognize something else than the two before. */
const afterOthers = (...secs: number[]) =>
  afterTimedPasses(
    ...[0, 0.3].map((audioSec) => ({ text: "one day in", audioSec })),
    ...secs.map((audioSec) => ({ text: "one play in a", audioSec })),
  );

it("keeps what is shown until passes agree on something else over a while", () => {
  expect(afterOthers(0.6)?.unsettled).toBe("one day in");
  expect(afterOthers(0.6, 0.9)?.unsettled).toBe("one day in");
  // Meanwhile the first word is settled.
  expect(afterOthers(0.6, 0.9, 1.4)).toEqual({ settled: "one", unsettled: " play in a" });
});

const certain = 0.95;
const timed = (word: string, endSec: number, probability = certain) => ({
  word,
  endSec,
  probability,
});

/** Passes that show a text, and then each recognize with certainty what the one before did not. */
const afterDisagreement = (...secs: number[]) =>
  afterTimedPasses(
    ...[0, 0.3].map((audioSec) => ({ text: "a day in", audioSec })),
    ...secs.map((audioSec, index) => {
      const word = index % 2 === 0 ? "play" : "clay";
      return { text: `${word} is`, audioSec, words: [timed(word, 0), timed("is", 0.1)] };
    }),
  );

it("does not keep what is shown for longer where passes go on to disagree", () => {
  const secs = [0.6, 0.9, 1.2, 1.5, 1.8];
  expect(afterDisagreement(...secs)?.unsettled).toBe("a day in");
  expect(afterDisagreement(...secs, 2.1)?.unsettled).toBe("clay is");
});

it("shows a probable word that is over at once, and no other", () => {
  const words = [timed("the", 1), timed("old", 1.3), timed("captain", 1.9), timed("knows", 2)];
  const text = "The old captain knows";
  expect(afterTimedPasses({ text, words, audioSec: 2.2 })?.unsettled).toBe("The old captain");
  const unsure = [timed("The", 1), timed("old", 1.3, 0.5), ...words.slice(2)];
  expect(afterTimedPasses({ text, words: unsure, audioSec: 2.2 })?.unsettled).toBe("The");
  expect(afterTimedPasses({ text, words: words.slice(1), audioSec: 2.2 })?.unsettled).toBe("");
});

it("takes the times of words that are joined in the text, or split", () => {
  const ofArticle = [timed("l", 1), timed("'accident", 1.5, 0.5), timed("a", 1.6)];
  expect(afterTimedPasses({ text: "L'accident a", words: ofArticle, audioSec: 3 })?.unsettled).toBe(
    "",
  );
  const japanese = [timed("今日", 1), timed("は", 1.2), timed("天気", 2.9)];
  expect(afterTimedPasses({ text: "今日は天気", words: japanese, audioSec: 3 })?.unsettled).toBe(
    "今日は",
  );
});

/** What passes at these times settle. @param probability of the second word */
const settledAt = (secs: number[], probability?: number) =>
  afterTimedPasses(
    ...secs.map((audioSec) => ({
      text: "He said so",
      words: [timed("He", 0.2), timed("said", 0.4, probability), timed("so", 0.6)],
      audioSec,
    })),
  )?.settled;

it("settles words of three passes over a second; improbable ones take longer, up to a limit", () => {
  expect(settledAt([1, 2.5])).toBe("");
  expect(settledAt([1, 1.4, 1.9])).toBe("");
  expect(settledAt([1, 1.4, 2])).toBe("He said so");
  expect(settledAt([1, 1.4, 2], 0.5)).toBe("He");
  expect(settledAt([1, 1.4, 2, 3], 0.5)).toBe("He said so");
  // Long ago, any three.
  expect(settledAt([4, 4.4], 0.5)).toBe("");
  expect(settledAt([4, 4.4, 4.7], 0.5)).toBe("He said so");
});

it("shows no phrase that a model repeats where the audio is cut", () => {
  const loop = "The long journey home the long journey home the long";
  expect(afterPasses(loop, loop)?.unsettled).toBe("The long journey home");
});

it("keeps settled words, whatever a later pass makes of them", () => {
  const said = ["He can not go", "He can not go", "He can not go"];
  expect(afterPasses(...said)?.settled).toBe("He can not go");
  // One word less, and another word.
  expect(afterPasses(...said, "He cannot go today", "He cannot go today")).toEqual({
    settled: "He can not go",
    unsettled: " today",
  });
  const counted = ["one two three", "one two three", "one two three"];
  const more = "one and two three four";
  expect(afterPasses(...counted, more, more)).toEqual({
    settled: "one two three",
    unsettled: " four",
  });
});

it("settles all words of the pass after the last one", () => {
  const agreement = createWordAgreement();
  agreement.update({ text: "He said", audioSec: 1 });
  expect(agreement.finish("He said so.")).toEqual({ settled: "He said so.", unsettled: "" });
});

it("compares characters where words are not separated", () => {
  expect(afterPasses("今日は天", "今日は天気", "今日は天気")).toEqual({
    settled: "今日は天",
    unsettled: "気",
  });
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
  expect(intervalAfter(100)).toBe(250);
  intervalAfter(900);
  expect(intervalAfter(900)).toBeGreaterThan(1100);
  expect(intervalAfter(900)).toBeGreaterThan(1250);
});

const pcmOf = (sec: number): Uint8Array => new Uint8Array(Math.round(sec * 16_000) * 2);
const secOf = (pcm: Uint8Array): number => pcm.length / 32_000;
const spanOf = (startSec: number, endSec: number): SpeechSpan => ({
  fromSec: Math.max(0, startSec - 0.3),
  toSec: endSec + 0.3,
  startSec,
  endSec,
  voicedSec: endSec - startSec,
  voiceProb: 1,
});
const segmentOf = (text: string, { startSec, endSec }: SpeechSpan): TranscribedSegment => ({
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

/** Somebody says a word each half second, from 1 s to `untilSec`; the recognizer finds each word when it is over. */
function openSession({
  untilSec = Infinity,
  draft,
  batchMaxSec,
}: { untilSec?: number; draft?: LiveRecognizer["draft"]; batchMaxSec?: number } = {}) {
  let nowMs = 0;
  let receivedSec = 0;
  let isFinal = false;
  const drafts: Draft[] = [];
  const settled: string[] = [];
  const failures: string[] = [];
  const lengths: number[] = [];
  const session = createLiveSession({
    read: (from, to) => Promise.resolve(pcmOf((to - from) / 16_000)),
    recognizer: {
      detectSpeech(pcm, endsSpeech) {
        receivedSec += secOf(pcm);
        const endSec = Math.min(receivedSec, untilSec);
        const isOver = endsSpeech || receivedSec >= untilSec + 0.6;
        const openSpeech: OpenSpeech = { fromSec: 0.7, startSec: 1, voicedUntilSec: endSec };
        const isNew = isOver && !isFinal && receivedSec > 1;
        isFinal ||= isNew;
        return Promise.resolve({
          speechSegments: isNew ? [spanOf(1, endSec)] : [],
          openSpeech: receivedSec < 1.2 || isFinal ? undefined : openSpeech,
        });
      },
      draft:
        draft ??
        ((pcm) => {
          lengths.push(secOf(pcm));
          nowMs += 100;
          const count = Math.floor((secOf(pcm) - 0.3) / 0.5);
          const text = Array.from({ length: count }, (_, i) => `word${i}`).join(" ");
          return Promise.resolve({ text, ...(batchMaxSec && { batchMaxSec }) });
        }),
      settle: (_, spans) => Promise.resolve(spans.map((span) => segmentOf("the whole", span))),
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
    /** Feeds audio in real time, a fifth of a second at once. */
    async advance(passSec: number) {
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
  const { drafts, advance } = openSession();
  await advance(6);
  expect(drafts.length).toBeGreaterThan(5);
  for (const [index, { settled }] of drafts.entries())
    expect(drafts[index + 1]?.settled.startsWith(settled) ?? true).toBe(true);
  expect(drafts.at(-1)?.settled).toMatch(/^word0 word1 .*word6/);
});

it("settles speech by a last pass when it has ended, and drafts no silence", async () => {
  const { drafts, settled, lengths, advance } = openSession({ untilSec: 3 });
  await advance(8);
  expect(settled).toEqual(["1 the whole"]);
  expect(new Set(drafts.map(({ startSec }) => startSec))).toEqual(new Set([1]));
  expect(Math.max(...lengths)).toBeLessThan(3);
});

it("tells each draft what the one before it recognized", async () => {
  const earlierTokenCounts: (number | undefined)[] = [];
  const { advance } = openSession({
    draft(_, _signal, { earlier }) {
      earlierTokenCounts.push(earlier?.tokens.length);
      const tokens = Array.from({ length: (earlier?.tokens.length ?? 0) + 1 }, () => 7);
      return Promise.resolve({ text: "word", decoded: { model: "one", tokens } });
    },
  });
  await advance(4);
  expect(earlierTokenCounts.slice(0, 3)).toEqual([undefined, 1, 2]);
});

it("ends speech when it is told to, however short the pause", async () => {
  const { settled, advance, session } = openSession();
  await advance(2);
  await session.endSpeech();
  expect(settled).toEqual(["1 the whole"]);
});

it("goes on without drafts where a draft fails or cannot be had", async () => {
  const failing = openSession({ untilSec: 3, draft: () => Promise.reject(new Error("no")) });
  await failing.advance(5);
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
  await without.advance(5);
  expect([count, without.failures, without.settled]).toEqual([1, [], ["1 the whole"]]);
});

it("keeps only the audio that may be read again", async () => {
  const { session, advance } = openSession({ untilSec: 3 });
  await advance(2);
  expect(session.neededFrom()).toBe(0);
  await advance(8);
  expect(session.neededFrom()).toBe(8 * 16_000);
});

it("waits with the last pass for neighbors, where the model transcribes these together", async () => {
  const { drafts, settled, advance } = openSession({ untilSec: 3, batchMaxSec: 20 });
  await advance(4);
  // The draft of the whole run is settled meanwhile.
  expect([settled, drafts.at(-1)?.settled]).toEqual([[], "word0 word1 word2 word3"]);
  await advance(2);
  expect(settled).toEqual(["1 the whole"]);
});

it("settles neighbors in one pass, and apart what is too far away or too long", async () => {
  const passes: number[][] = [];
  const settling = createSettling({
    recognizer: {
      settle(_, spans) {
        passes.push(spans.map(({ startSec }) => startSec));
        return Promise.resolve(spans.map((span) => segmentOf("text", span)));
      },
    },
    readSec: () => Promise.resolve(new Uint8Array()),
    onSettled: () => {},
    onPass: () => {},
    onFailure: () => {},
    signal: new AbortController().signal,
  });
  const spans = [spanOf(1, 5), spanOf(6, 10), spanOf(13, 20), spanOf(21, 33)];
  for (const span of spans) settling.add(span, 15);
  await settling.flush();
  expect(passes).toEqual([[1, 6], [13], [21]]);
  for (const span of spans) settling.add(span, undefined);
  await settling.flush();
  expect(passes.slice(3)).toEqual([[1], [6], [13], [21]]);
  expect(settling.neededFromSec()).toBe(Infinity);
});

// What drafts ask of a recognizer as speech grows: how much of it, and which speech it is.

import { expect, it } from "vitest";
import type { OpenSpeech } from "../../../../main/audio/dsp/vad-segmenter.ts";
import type { DraftTranscript, GrowingUtterance } from "../../../../main/contract/speech.ts";
import { createDrafts } from "../../../../main/jobs/transcription/live/drafts.ts";

type Pass = { lengthSec: number; utterance: GrowingUtterance | undefined };

/** Every pass has the same result. */
function open(draft: Partial<DraftTranscript> = {}) {
  const passes: Pass[] = [];
  const drafts = createDrafts({
    recognizer: {
      draft(pcm, _signal, { utterance }) {
        passes.push({ lengthSec: pcm.length / 10, utterance });
        return Promise.resolve({ text: "word", ...draft });
      },
    },
    readSec: (fromSec, toSec) =>
      Promise.resolve(new Uint8Array(Math.round(10 * (toSec - fromSec)))),
    onDraft: () => {},
    onFailure: () => {},
    pacing: { isDue: () => true, startPass: () => () => {} },
    signal: new AbortController().signal,
  });
  return {
    passes,
    utterances: () => new Set(passes.map(({ utterance }) => utterance?.id)),
    async follow(...speech: OpenSpeech[]): Promise<void> {
      for (const each of speech) {
        drafts.follow(each, each.voicedUntilSec + 0.3, false);
        await drafts.idle();
      }
    },
    async end(speech: { fromSec: number; startSec: number; toSec: number }): Promise<void> {
      drafts.endSpeech({ ...speech, endSec: speech.toSec, voicedSec: 1, voiceProb: 1 });
      await drafts.idle();
    },
  };
}

const speech = (startSec: number, voicedUntilSec: number, fromSec = startSec - 0.3) => ({
  fromSec,
  startSec,
  voicedUntilSec,
});

it("says which drafts are of the same speech, and which one is the last", async () => {
  const { passes, utterances, follow, end } = open();
  await follow(speech(1, 2), speech(1, 3));
  await end({ fromSec: 0.7, startSec: 1, toSec: 3.3 });
  expect(passes.map(({ utterance }) => utterance?.isOver)).toEqual([false, false, true]);
  expect(utterances().size).toBe(1);
  await follow(speech(5, 6));
  expect(utterances().size).toBe(2);
});

it("takes speech that begins elsewhere than before for other speech", async () => {
  const { passes, utterances, follow } = open();
  await follow(speech(1, 2), speech(1, 3, 0.8), speech(1, 4, 0.8));
  expect(utterances().size).toBe(2);
  expect(passes[2]?.utterance).toEqual(passes[1]?.utterance);
});

/** How much speech the first draft of the second utterance gets, once the model is known. */
async function firstSec(draft: Partial<DraftTranscript>): Promise<number | undefined> {
  const { passes, follow } = open(draft);
  await follow(speech(1, 2));
  for (let sec = 0.2; passes.length < 2; sec += 0.2) await follow(speech(11, 11 + sec));
  return passes[1]?.lengthSec;
}

it("waits for enough speech, if the model is not known to be a streaming one", async () => {
  expect(await firstSec({})).toBeGreaterThan(1.3);
  expect(await firstSec({ isStreaming: true })).toBeCloseTo(0.8);
});

// What every caller gets, whatever a provider leaves out: over the router.

import { expect, it } from "vitest";
import type { Transcript, TranscriptionJob } from "../../../main/contract/speech.ts";
import {
  createFakeChannel,
  segment,
  streamTranscript,
  toRegisteredChannel,
} from "../../support/fake-channel.ts";
import { createTestRouter } from "../../support/test-router.ts";

async function transcriptOf(
  parts: Partial<Transcript>,
  job: Partial<TranscriptionJob> = {},
): Promise<Transcript> {
  const transcript = { language: "", durationSec: 9, text: "", segments: [], failed: [], ...parts };
  const channel = createFakeChannel({ transcribe: () => streamTranscript(transcript) });
  const { events } = await createTestRouter([toRegisteredChannel(channel)]).transcribe(job);
  const streamed = events.flatMap((event) => (event.type === "segment" ? [event.segment] : []));
  const done = events.at(-1);
  if (done?.type !== "done") throw new Error("no transcript came");
  // Whether a caller reads the segments or the transcript makes no difference.
  expect(done.transcript.segments).toEqual(streamed);
  return done.transcript;
}

it("has no times before the file", async () => {
  const { segments } = await transcriptOf({
    segments: [
      {
        ...segment(-0.2, 1, "Early."),
        words: [{ word: "Early.", startSec: -0.2, endSec: 1, probability: 1 }],
      },
    ],
  });
  expect(segments).toMatchObject([
    { startSec: 0, endSec: 1, words: [{ startSec: 0, endSec: 1, probability: 1 }] },
  ]);
});

const silent = (text: string) => ({ ...segment(0, 1, text), language: "" });

it.each([
  ["the requested language", { language: "ja" }, "ja", "japanese"],
  ["English for a translation", { task: "translate", language: "ja" }, "en", "english"],
  ["no language if none was requested", {}, "", ""],
] as const)("whose provider names no language gets %s", async (_, job, code, name) => {
  const { segments, language } = await transcriptOf({ segments: [silent("Hai.")] }, job);
  expect([segments[0]?.language, language]).toEqual([code, name]);
});

it("in several languages is in the one with the most speech", async () => {
  const segments = [
    { ...segment(0, 2, "Ja."), language: "de" },
    { ...segment(2, 5, "Yes."), language: "en" },
    { ...segment(5, 6, "Doch."), language: "de" },
    { ...segment(6, 7, "Ja."), language: "de" },
  ];
  expect(await transcriptOf({ segments })).toMatchObject({ language: "german", segments });
});

it("keeps what its provider says about the language", async () => {
  const spoken = { ...segment(0, 2, "Ja."), language: "de" };
  expect(
    await transcriptOf({ language: "danish", segments: [spoken] }, { language: "en" }),
  ).toMatchObject({ language: "danish", segments: [spoken] });
});

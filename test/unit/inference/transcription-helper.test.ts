import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writePcmFile } from "../../../main/audio/codec/pcm-file.ts";
import { floatToPcm } from "../../../main/audio/codec/pcm.ts";
import type { SpeechSegmentSpan } from "../../../main/audio/dsp/vad-segmenter.ts";
import {
  transcribeRemotely,
  type TranscriptionHelper,
} from "../../../main/inference/transcription-helper.ts";
import {
  type Transcript,
  type TranscriptSegment,
  type TranscriptionEvent,
  type TranscriptionJob,
} from "../../../main/contract/speech.ts";
import { transcriptionJob, neverAborted } from "../../support/app.ts";
import { segment } from "../../support/fake-channel.ts";
import { noise } from "../../support/test-audio.ts";
import { openTestFolder } from "../../support/test-data.ts";

const samples = noise(30, 16_000);
const piece = (fromSec: number, toSec: number): SpeechSegmentSpan => ({
  fromSec,
  toSec,
  startSec: fromSec + 0.25,
  endSec: toSec - 0.25,
  voicedSec: 1,
  voiceProb: 0.75,
});
const pieces = [piece(10, 12), piece(13, 17.5)];
const transcript = (segments: TranscriptSegment[], more: Partial<Transcript> = {}): Transcript => ({
  language: "english",
  durationSec: 7.5,
  text: segments.map(({ text }) => text).join(" "),
  segments,
  failed: [],
  ...more,
});

function helperOf(
  transcribe: (job: TranscriptionJob, signal: AbortSignal) => AsyncIterable<TranscriptionEvent>,
): TranscriptionHelper {
  return { name: "helper", maxConcurrent: 1, transcribe };
}

const answering = (answer: Transcript): TranscriptionHelper =>
  helperOf(async function* () {
    yield { type: "done", transcript: answer };
  });

async function heard(
  helper: TranscriptionHelper,
  more: Partial<TranscriptionJob> = {},
  signal = neverAborted(),
  given = pieces,
): Promise<TranscriptSegment[]> {
  const folder = await openTestFolder();
  const [pcmPath, wavPath] = [join(folder, "samples.pcm"), join(folder, "part.wav")];
  await writePcmFile(pcmPath, samples);
  try {
    return await transcribeRemotely(
      helper,
      transcriptionJob("whole.mp3", more),
      pcmPath,
      given,
      wavPath,
      signal,
    );
  } finally {
    expect(existsSync(wavPath)).toBe(false);
  }
}

it("sends the samples of the range as a 16 kHz WAV file", async () => {
  let sent = Buffer.alloc(0);
  const helper = helperOf(async function* (job) {
    sent = await readFile(job.mediaPath);
    yield { type: "done", transcript: transcript([segment(0, 1, "here")]) };
  });
  await heard(helper);
  expect([
    sent.toString("latin1", 0, 4),
    sent.readUInt32LE(24),
    sent.readUInt16LE(34),
    sent.readUInt32LE(40),
  ]).toEqual(["RIFF", 16_000, 16, 7.5 * 32_000]);
  expect(sent.subarray(44).equals(floatToPcm(samples.subarray(160_000, 280_000)))).toBe(true);
});

it("shifts times to positions in the whole file, and clamps them to the range", async () => {
  const words = [{ word: "two", startSec: 3, endSec: 3.5, probability: 1 }];
  const found = await heard(
    answering(
      transcript([
        segment(-0.1, 1, " one "),
        { ...segment(3, 9, "two"), words },
        segment(8, 8.5, "  "),
      ]),
    ),
  );
  expect(found).toMatchObject([
    { startSec: 10, endSec: 11, text: "one", language: "en" },
    {
      startSec: 13,
      endSec: 17.5,
      text: "two",
      seekFrames: 1300,
      words: [{ startSec: 13, endSec: 13.5 }],
    },
  ]);
});

it("makes one segment of a text without segments, from the first voice to the last", async () => {
  const found = await heard(answering(transcript([], { text: " all of it ", language: "german" })));
  expect(found).toEqual([
    expect.objectContaining({
      startSec: 10.25,
      endSec: 17.25,
      text: "all of it",
      tokens: [],
      noSpeechProb: 0.25,
      language: "de",
    }),
  ]);
});

it("uses the language of the job for segments without one", async () => {
  expect(
    await heard(answering(transcript([{ ...segment(0, 1, "oui"), language: "" }])), {
      language: "fr",
    }),
  ).toMatchObject([{ language: "fr" }]);
});

it.each([
  ["nothing", answering(transcript([])), "0 words in 2.0 s of voice"],
  [
    "no times of the words asked for",
    answering(transcript([segment(0, 1, "one")])),
    "times of words",
  ],
  [
    "that a part could not be heard",
    answering(
      transcript([segment(0, 1, "one")], { failed: [{ startSec: 1, endSec: 2, message: "no" }] }),
    ),
    "all of it",
  ],
  // oxlint-disable-next-line require-yield
  ["no end", helperOf(async function* () {}), "without a transcript"],
])("treats a helper as failed that returns %s", async (_, helper, message) => {
  await expect(heard(helper, { wordTimes: true })).rejects.toThrow(message);
});

it("treats far too few words for the amount of voice as a failure", async () => {
  const talking = pieces.map((one) => ({ ...one, voicedSec: 4 }));
  const telling = (text: string) =>
    heard(answering(transcript([], { text })), {}, neverAborted(), talking);
  await expect(telling("hello there")).rejects.toThrow("2 words in 8.0 s of voice");
  expect(await telling("hello there my friend")).toHaveLength(1);
});

it("does not wait for a helper that ignores the signal", async () => {
  const abort = new AbortController();
  const deaf = helperOf(async function* () {
    abort.abort(new Error("given up"));
    await new Promise(() => {});
    yield { type: "progress", processedSec: 0, durationSec: 0 };
  });
  await expect(heard(deaf, {}, abort.signal)).rejects.toThrow("given up");
});

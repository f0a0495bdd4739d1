import { describe, expect, it } from "vitest";
import {
  type EnglishOnlyOptions,
  translateByTranscribing,
} from "../../../main/inference/english-only-translation.ts";
import type {
  TranscriptionEvent,
  TranscriptionJob,
  TranscriptSegment,
} from "../../../main/contract/speech.ts";

const job: TranscriptionJob = {
  mediaPath: "said.wav",
  task: "translate",
  model: "moonshine-base",
  temperature: 0,
  wordTimes: false,
};

/** A model that returns a segment; `tasks` collects the requested tasks. */
function model(
  { avgLogprob = -0.1, translators = [] as string[] } = {},
  tasks: string[] = [],
): EnglishOnlyOptions {
  const segment: TranscriptSegment = {
    text: "So it is.",
    language: "en",
    startSec: 0,
    endSec: 1,
    tokens: [1, 2, 3],
    avgLogprob,
    compressionRatio: 1,
    noSpeechProb: 0,
    seekFrames: 0,
    temperature: 0,
  };
  return {
    translators,
    async *transcribe({ task }) {
      tasks.push(task);
      yield { type: "segment", segment };
      yield {
        type: "done",
        transcript: {
          language: "english",
          durationSec: 1,
          text: segment.text,
          segments: [segment],
          failed: [],
        },
      };
    },
  };
}

async function typesOf(events: AsyncIterable<TranscriptionEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe("translation by a model that only transcribes", () => {
  it("requests a transcription and passes on English segments", async () => {
    const tasks: string[] = [];
    expect(await typesOf(translateByTranscribing(job, model({}, tasks)))).toEqual([
      "segment",
      "done",
    ]);
    expect(tasks).toEqual(["transcribe"]);
  });

  it("rejects audio that does not sound like English, and names the models that translate", async () => {
    const refused = typesOf(
      translateByTranscribing(
        job,
        model({ avgLogprob: -0.6, translators: ["whisper-1", "whisper-base"] }),
      ),
    );
    await expect(refused).rejects.toMatchObject({
      key: "unsupported_language",
      param: "file",
      message: expect.stringContaining("whisper-1 or whisper-base") as string,
    });
  });

  it("relies on the language that the request names", async () => {
    expect(
      await typesOf(
        translateByTranscribing({ ...job, language: "en" }, model({ avgLogprob: -0.6 })),
      ),
    ).toEqual(["segment", "done"]);
  });
});

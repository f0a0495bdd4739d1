import { describe, expect, it } from "vitest";
import type { AudioPart } from "../../../main/contract/speech.ts";
import { transcribeTimed } from "../../../main/channels/timed-transcription.ts";
import { appError } from "../../support/app-error.ts";
import type { TranscriptionEvent, TranscriptionJob } from "../../../main/contract/speech.ts";
import {
  createFakeChannel,
  failingIterable,
  fakeTranscript,
  streamTranscript,
} from "../../support/fake-channel.ts";
import { collect, transcriptionJob, neverAborted } from "../../support/test-router.ts";

const plain = (text: string, durationSec = 0) =>
  streamTranscript({ language: "", durationSec, text, segments: [], failed: [] });
const refusal = () =>
  appError("upstream_error", "response_format 'verbose_json' is not compatible", {
    row: { status: 400, type: "x" },
  });
const busy = () => appError("upstream_error", "Busy.", { row: { status: 503, type: "x" } });

async function* splitSpeech(): AsyncGenerator<AudioPart> {
  yield { path: "/1.wav", fromSec: 0, toSec: 20 };
  yield { path: "/2.wav", fromSec: 50, toSec: 60 };
}

function setup(
  answer: (job: TranscriptionJob, count: number) => AsyncIterable<TranscriptionEvent>,
) {
  const channel = createFakeChannel({
    transcribe: (job) => answer(job, channel.transcriptionJobs.length),
  });
  const waits: number[] = [];
  const processedSec: number[] = [];
  const options = {
    splitSpeech,
    wait: async (ms: number) => void waits.push(ms),
    onProcessed: (sec: number) => void processedSec.push(sec),
    measureSec: async () => 70,
  };
  const transcribe = async (job: Partial<TranscriptionJob> = {}, more: object = {}) => {
    const events = await collect(
      transcribeTimed(
        channel,
        transcriptionJob({ mediaPath: "/whole.mp3", wordTimes: true, ...job }),
        { ...options, ...more },
        neverAborted,
      ),
    );
    const done = events.at(-1);
    if (done?.type !== "done") throw new Error("no transcript came");
    return done.transcript;
  };
  return { channel, waits, processedSec, transcribe };
}

const textOnly = (job: TranscriptionJob): AsyncIterable<TranscriptionEvent> =>
  job.textOnly === true ? plain(`said in ${String(job.mediaPath)}`) : failingIterable(refusal);

describe("a model that returns text without times", () => {
  it("is sent the speech in parts, each of which becomes a segment with its position in the file", async () => {
    const { channel, processedSec, transcribe } = setup(textOnly);
    expect(await transcribe()).toMatchObject({
      text: "said in /1.wav said in /2.wav",
      durationSec: 70,
      segments: [
        { startSec: 0, endSec: 20, text: "said in /1.wav" },
        { startSec: 50, endSec: 60, text: "said in /2.wav" },
      ],
      failed: [],
    });
    expect(channel.transcriptionJobs.slice(1)).toMatchObject([
      { mediaPath: "/1.wav", textOnly: true, wordTimes: false },
      { mediaPath: "/2.wav" },
    ]);
    expect(processedSec).toEqual([20, 10]);
  });

  it("is remembered, and gets a single request where only text is needed", async () => {
    const { channel, transcribe } = setup(textOnly);
    await transcribe();
    await transcribe();
    expect(channel.transcriptionJobs.map(({ mediaPath }) => mediaPath)).toEqual([
      "/whole.mp3",
      "/1.wav",
      "/2.wav",
      "/1.wav",
      "/2.wav",
    ]);
    expect((await transcribe({ textOnly: true })).segments).toEqual([]);
    expect(channel.transcriptionJobs).toHaveLength(6);
  });

  it("may return text to a request for times: its cost is counted, and short audio is not sent again", async () => {
    const { channel, processedSec, transcribe } = setup((job) =>
      plain(job.textOnly === true ? "part" : "all of it"),
    );
    expect((await transcribe()).segments).toHaveLength(2);
    expect(processedSec).toEqual([70, 20, 10]);
    const other = setup(() => plain("all of it"));
    expect((await other.transcribe({}, { measureSec: async () => 12 })).segments).toMatchObject([
      { startSec: 0, endSec: 12, text: "all of it" },
    ]);
    expect([
      channel.transcriptionJobs.length,
      other.channel.transcriptionJobs.length,
      other.processedSec,
    ]).toEqual([3, 1, []]);
  });

  it("is remembered after two responses in a row without times, not after one", async () => {
    const isOdd = new Set([1, 3, 4]);
    const { channel, transcribe } = setup((job, count) =>
      isOdd.has(count) ? plain("all of it", 12) : streamTranscript(fakeTranscript(job)),
    );
    const requestCounts: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      await transcribe();
      requestCounts.push(channel.transcriptionJobs.length);
    }
    // The first and third responses are used as they are. After the fourth, only parts are sent, for text only.
    expect(requestCounts).toEqual([1, 2, 3, 4, 6]);
    expect(channel.transcriptionJobs.map(({ textOnly: wantsText }) => wantsText === true)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it("that fails temporarily is sent only the failed part again", async () => {
    const { channel, waits, processedSec, transcribe } = setup((job, count) =>
      count === 3 ? failingIterable(busy) : textOnly(job),
    );
    expect((await transcribe()).segments).toHaveLength(2);
    expect(channel.transcriptionJobs.map(({ mediaPath }) => mediaPath)).toEqual([
      "/whole.mp3",
      "/1.wav",
      "/2.wav",
      "/2.wav",
    ]);
    expect([waits.length, processedSec]).toEqual([1, [20, 10]]);
  });

  it("that may charge for a failed part has it counted, and is not retried", async () => {
    const { channel, processedSec, transcribe } = setup((job, count) =>
      count === 3
        ? failingIterable(() => appError("upstream_timeout", "Late.", { mayBeCharged: true }))
        : textOnly(job),
    );
    await expect(transcribe()).rejects.toThrow("Late.");
    expect([channel.transcriptionJobs.length, processedSec]).toEqual([3, [20, 10]]);
  });
});

it("passes on all other results and errors unchanged", async () => {
  const job = transcriptionJob();
  const { channel, transcribe, processedSec } = setup((request) =>
    streamTranscript(fakeTranscript(request)),
  );
  expect(await transcribe({ wordTimes: false })).toEqual(fakeTranscript(job));
  expect([channel.transcriptionJobs.length, processedSec]).toEqual([1, []]);
  const refusing = setup(() => failingIterable(() => appError("invalid_request", "No.")));
  await expect(refusing.transcribe()).rejects.toThrow("No.");
  expect(refusing.channel.transcriptionJobs).toHaveLength(1);
});

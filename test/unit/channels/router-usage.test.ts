// How a request is recorded: done, failed or left by its caller, and what is due then.

import { describe, expect, it } from "vitest";
import { appError } from "../../support/app-error.ts";
import type { SpeechChunk, TranscriptionEvent } from "../../../main/contract/speech.ts";
import {
  createFakeChannel,
  fakeTranscript,
  rejectOnAbort,
  streamSpeech,
  toRegisteredChannel,
  type FakeScript,
} from "../../support/fake-channel.ts";
import {
  asOwner,
  collect,
  createTestRouter,
  neverAborted,
  speechJob,
  transcriptionJob,
} from "../../support/test-router.ts";

/** Six characters of speech, or a minute of audio. */
const due = 0.006;
const broken = appError("engine_failed", "It broke.");
const done: TranscriptionEvent = {
  type: "done",
  transcript: { ...fakeTranscript(transcriptionJob()), durationSec: 60 },
};

/** This machine, and a paid provider with the prefix `cloud`. */
function open(script: FakeScript) {
  return createTestRouter([
    toRegisteredChannel(createFakeChannel({ name: "local", isLocal: true, ...script })),
    toRegisteredChannel(createFakeChannel({ name: "cloud", ...script }), {
      prefix: "cloud",
      isPaid: true,
    }),
  ]);
}

async function* speakThen(end: () => unknown): AsyncGenerator<SpeechChunk> {
  yield* streamSpeech(["a"]);
  await end();
}
const fail = (error: unknown) => () => {
  throw error;
};

describe("a request that is done", () => {
  it("is recorded once, with its caller, its bytes and its price", async () => {
    const { router, records } = open({});
    await collect(router.synthesize(speechJob(), { caller: "window", signal: neverAborted }));
    expect(records).toMatchObject([
      {
        key: "window",
        endpoint: "speech",
        model: "tts-1",
        channel: "local",
        characters: 6,
        audioSec: 2,
        sentBytes: 12,
        status: 200,
        savedUsd: expect.closeTo(due, 9),
      },
    ]);
  });

  it("is done with its transcript, even if nothing is read after it", async () => {
    const { router, records } = open({
      async *transcribe() {
        yield done;
        throw new TypeError("it was not cleaned up");
      },
    });
    const job = transcriptionJob({ task: "translate", stream: true });
    for await (const { type } of router.transcribe(job, asOwner)) if (type === "done") break;
    expect(records).toMatchObject([
      { endpoint: "translations", audioSec: 60, status: 200, savedUsd: expect.closeTo(0.06, 9) },
    ]);
  });
});

describe("a request that failed", () => {
  it.each([
    ["an internal error", broken, 500],
    ["an error of the client", appError("audio_too_short", "It is short."), 400],
    ["an unexpected error", new TypeError("it is undefined"), 500],
  ])("with %s is recorded with its status, and saves nothing", async (_, error, status) => {
    const { router, records } = open({ synthesize: () => speakThen(fail(error)) });
    await expect(collect(router.synthesize(speechJob(), asOwner))).rejects.toBe(error);
    expect(records).toMatchObject([{ channel: "local", status, spentUsd: 0, savedUsd: 0 }]);
  });

  it("after its provider had started to respond is charged", async () => {
    const { router, records } = open({ synthesize: () => speakThen(fail(broken)) });
    await expect(
      collect(router.synthesize(speechJob({ model: "cloud/tts-1" }), asOwner)),
    ).rejects.toBe(broken);
    expect(records).toMatchObject([
      { channel: "cloud", status: 500, spentUsd: expect.closeTo(due, 9) },
    ]);
  });

  it("because its model does not exist has no channel", async () => {
    const { router, records } = open({});
    await expect(
      collect(router.synthesize(speechJob({ model: "none" }), asOwner)),
    ).rejects.toMatchObject({ key: "unknown_model" });
    expect(records).toMatchObject([{ model: "none", channel: "", status: 404, savedUsd: 0 }]);
  });

  it("because the app stopped reading is not recorded as a caller that left", async () => {
    const { router, records } = open({ synthesize: () => streamSpeech(["a", "b"]) });
    for await (const _ of router.synthesize(speechJob(), asOwner)) break;
    expect(records).toMatchObject([{ status: 500, savedUsd: 0 }]);
  });
});

describe("a caller that leaves", () => {
  it.each([
    ["this machine", "tts-1", { savedUsd: expect.closeTo(due, 9) }],
    ["a provider", "cloud/tts-1", { spentUsd: expect.closeTo(due, 9) }],
  ])("while %s responds is recorded with status 499 and the cost", async (_, model, usd) => {
    const stop = new AbortController();
    const { router, records } = open({
      synthesize: (__, signal) => speakThen(() => rejectOnAbort(signal)),
    });
    const chunks = router.synthesize(speechJob({ model }), { ...asOwner, signal: stop.signal });
    await chunks.next();
    const next = chunks.next();
    stop.abort(new Error("left"));
    await expect(next).rejects.toThrow("left");
    expect(records).toMatchObject([{ status: 499, ...usd }]);
  });

  it("while its audio is measured owes nothing, since nothing was sent", async () => {
    const stop = new AbortController();
    const channel = createFakeChannel();
    const test = createTestRouter([toRegisteredChannel(channel, { isPaid: true })]);
    const { options } = test.watch(stop.signal, "speech");
    if (!("meter" in options)) throw new Error("there is no meter");
    const { meter } = options;
    const leaving = {
      ...options,
      meter: {
        ...meter,
        async admit(...args: Parameters<typeof meter.admit>) {
          const admission = await meter.admit(...args);
          stop.abort(new Error("left"));
          return admission;
        },
      },
    };
    await expect(collect(test.router.synthesize(speechJob(), leaving))).rejects.toThrow("left");
    meter.end();
    expect([channel.speechJobs, test.records]).toMatchObject([[], [{ status: 499, spentUsd: 0 }]]);
  });
});

describe("the meter of a request that is open longer", () => {
  it("is ended by whoever started it", async () => {
    const { router, records, watch } = open({});
    const { options } = watch(neverAborted, "speech");
    if (!("meter" in options)) throw new Error("there is no meter");
    await collect(router.synthesize(speechJob(), options));
    expect(records).toEqual([]);
    options.meter.addSentBytes(7);
    options.meter.end();
    options.meter.end();
    expect(records).toMatchObject([{ status: 200, sentBytes: 7 }]);
  });

  it("keeps the first failure", async () => {
    const { router, records, watch } = open({ synthesize: () => speakThen(fail(broken)) });
    const { options } = watch(neverAborted, "speech");
    if (!("meter" in options)) throw new Error("there is no meter");
    await collect(router.synthesize(speechJob(), options)).catch(() => {});
    options.meter.fail(undefined, true);
    options.meter.end();
    expect(records).toMatchObject([{ status: 500 }]);
  });
});

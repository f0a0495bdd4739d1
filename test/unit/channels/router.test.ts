// What the router passes on, how long another channel may take over, and that cancelling stops the work.

import { describe, expect, it } from "vitest";
import { createHealth } from "../../../main/channels/health.ts";
import { appError } from "../../support/app-error.ts";
import type { SpeechChunk, TranscriptionEvent } from "../../../main/contract/speech.ts";
import {
  createFakeChannel,
  failingIterable,
  fakeTranscript,
  fakeVoices,
  toRegisteredChannel,
  segment,
  streamSpeech,
  streamTranscript,
  rejectOnAbort,
  type FakeScript,
} from "../../support/fake-channel.ts";
import {
  asOwner,
  collect,
  transcriptionJob,
  neverAborted,
  speechJob,
  createTestRouter,
  type TestRouterOptions,
} from "../../support/test-router.ts";

const cutOff = appError("upstream_broken", "It was cut off.");
const progress = (processedSec: number): TranscriptionEvent => ({
  type: "progress",
  processedSec,
  durationSec: 9,
});
const segmentEvent: TranscriptionEvent = { type: "segment", segment: segment(0, 1, "Lost words.") };
const text: TranscriptionEvent = { type: "text", text: "Lost words." };
const failed: TranscriptionEvent = {
  type: "failed",
  range: { startSec: 0, endSec: 1, message: "lost" },
};
const done: TranscriptionEvent = { type: "done", transcript: fakeTranscript(transcriptionJob()) };
const chunk = (content: string): SpeechChunk => ({
  bytes: Buffer.from(content),
  audioSec: undefined,
  progress: undefined,
});

async function* emit<Event>(events: readonly Event[], end?: unknown): AsyncGenerator<Event> {
  yield* events;
  if (end !== undefined) throw end;
}

/** `first` fails or follows its script; `second` serves every request. */
function two(first: FakeScript, options: TestRouterOptions = {}, second: FakeScript = {}) {
  const channels = [
    createFakeChannel({ name: "first", ...first }),
    createFakeChannel({ name: "second", ...second }),
  ] as const;
  const all = [
    toRegisteredChannel(channels[0], { priority: 0 }),
    toRegisteredChannel(channels[1]),
  ] as const;
  return {
    ...createTestRouter(all, options),
    first: channels[0],
    second: channels[1],
    healths: all.map(({ health }) => health),
  };
}

async function* hangs(signal: AbortSignal): AsyncGenerator<SpeechChunk> {
  yield chunk("a");
  await rejectOnAbort(signal);
}

/** Counts what is still running. */
function watched() {
  const state = { running: 0, begun: 0 };
  async function* watch<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event> {
    state.running += 1;
    state.begun += 1;
    try {
      yield* events;
    } finally {
      await Promise.resolve();
      state.running -= 1;
    }
  }
  return { state, watch };
}

/** Half-open: the next request is its probe. */
function probing() {
  const clock = { ms: 0 };
  const health = createHealth({ now: () => clock.ms, policy: { failuresToOpen: 1 } });
  health.admit()?.markFailed(cutOff, true);
  clock.ms = 60_000;
  return health;
}

describe("transcription", () => {
  it("uses the channel's id for the model and passes on everything else unchanged", async () => {
    const channel = createFakeChannel({ name: "groq" });
    const extraFields = new Map([["hotwords", ["Hearsay"]]]);
    const { transcribe } = createTestRouter([toRegisteredChannel(channel, { prefix: "groq" })]);
    const { events, served } = await transcribe({
      model: "groq/whisper-1",
      prompt: "so",
      extraFields,
      stream: true,
    });
    expect(channel.transcriptionJobs).toEqual([
      transcriptionJob({ model: "whisper-1", prompt: "so", extraFields, stream: true }),
    ]);
    expect(events).toEqual(await collect(streamTranscript(fakeTranscript(transcriptionJob()))));
    expect(served).toMatchObject({
      channel: "groq",
      model: "groq/whisper-1",
      isPaid: false,
      attempts: 1,
    });
  });

  it("may fall back until the end when no stream is requested, and repeats no event", async () => {
    const { transcribe, second } = two(
      { transcribe: () => emit([progress(1), segmentEvent, text, failed, progress(8)], cutOff) },
      {},
      { transcribe: () => emit([segmentEvent, progress(2), failed, done]) },
    );
    const { events, served } = await transcribe();
    expect(events).toEqual([progress(1), progress(8), progress(2), segmentEvent, failed, done]);
    expect([served, second.transcriptionJobs.length]).toMatchObject([
      { channel: "second", model: "whisper-1", isPaid: false, attempts: 2 },
      1,
    ]);
  });

  it.each([segmentEvent, text, failed])(
    "is bound to its channel by the first $type event of a stream",
    async (event) => {
      const { router, watch, second, healths } = two({
        transcribe: () => emit([progress(1), event], cutOff),
      });
      const { served, options } = watch(neverAborted, "transcriptions");
      const events = router.transcribe(transcriptionJob({ stream: true }), options);
      expect([(await events.next()).value, served.channel]).toEqual([progress(1), undefined]);
      expect([(await events.next()).value, served.channel]).toEqual([event, "first"]);
      await expect(events.next()).rejects.toBe(cutOff);
      expect(second.transcriptionJobs).toEqual([]);
      expect(healths[0]?.view()).toMatchObject({
        failures: 1,
        lastError: { message: "It was cut off." },
      });
    },
  );

  it("streams events as they come, and may fall back while there was only progress", async () => {
    const { transcribe } = two(
      { transcribe: () => emit([progress(1)], cutOff) },
      {},
      { transcribe: () => emit([text, progress(3), done]) },
    );
    const { events, served } = await transcribe({ stream: true });
    expect(events).toEqual([progress(1), text, progress(3), done]);
    expect(served).toMatchObject({ channel: "second", attempts: 2 });
  });

  it("counts as successful after the last event, even if the client stops reading", async () => {
    const { router, healths } = two({});
    for await (const event of router.transcribe(transcriptionJob(), asOwner))
      if (event.type === "done") break;
    expect(healths[0]?.view()).toMatchObject({ successes: 1, failures: 0 });
  });

  it("falls back when a channel throws synchronously", async () => {
    const { transcribe } = two({
      transcribe() {
        throw cutOff;
      },
    });
    expect((await transcribe()).served).toMatchObject({ channel: "second", attempts: 2 });
  });
});

describe("synthesis", () => {
  it("falls back until there are bytes", async () => {
    const { synthesize, second } = two({ synthesize: () => emit([chunk("")], cutOff) });
    expect(await synthesize({ voice: "echo" })).toMatchObject({
      text: "said: Hello.",
      served: { channel: "second", model: "tts-1", isPaid: false, attempts: 2 },
    });
    expect(second.speechJobs).toEqual([speechJob({ voice: "echo" })]);
  });

  it("fails when its channel fails after the first bytes", async () => {
    const { router, second } = two({ synthesize: () => emit([chunk("He")], cutOff) });
    const chunks = router.synthesize(speechJob(), asOwner);
    expect((await chunks.next()).value).toEqual(chunk("He"));
    await expect(chunks.next()).rejects.toBe(cutOff);
    expect(second.speechJobs).toEqual([]);
  });

  it("passes on bytes as they come", async () => {
    let made = 0;
    const { router } = two({
      async *synthesize() {
        for (const content of ["a", "b", "c"]) {
          made += 1;
          yield chunk(content);
        }
      },
    });
    const chunks = router.synthesize(speechJob(), asOwner);
    await chunks.next();
    expect(made).toBe(1);
    await chunks.return();
    expect(made).toBe(1);
  });

  it("counts as successful at its end, even with no audio", async () => {
    const { synthesize, healths } = two({ synthesize: () => streamSpeech([]) });
    const { text: synthesized, served } = await synthesize();
    expect([synthesized, served.attempts, served.channel]).toEqual(["", 1, undefined]);
    expect(healths[0]?.view()).toMatchObject({ successes: 1 });
  });
});

describe("voices", () => {
  const [nova] = fakeVoices.filter(({ id }) => id === "nova");
  const onlyNova = { voices: nova === undefined ? [] : [nova] };
  const aliases = {
    voiceAliases: new Map([
      ["marin", "nova"],
      ["alloy", "nova"],
    ]),
  };

  it("are passed on unchanged where only the provider knows them", async () => {
    const { synthesize, first } = two({ voices: [] }, aliases);
    await synthesize({ voice: "marin" });
    expect(first.speechJobs[0]?.voice).toBe("marin");
  });

  it("are matched by their own name before an alias", async () => {
    const { synthesize, first } = two({}, aliases);
    for (const voice of ["alloy", "marin"]) await synthesize({ voice });
    expect(first.speechJobs.map(({ voice }) => voice)).toEqual(["alloy", "nova"]);
  });

  it("exclude the channels that lack them, and are resolved for each channel separately", async () => {
    const { synthesize, first, second } = two(onlyNova, {});
    expect((await synthesize({ voice: "echo" })).served).toMatchObject({
      channel: "second",
      attempts: 1,
    });
    expect(first.speechJobs).toEqual([]);
    const other = two({ ...onlyNova, synthesize: () => failingIterable(() => cutOff) }, aliases);
    expect((await other.synthesize({ voice: "alloy" })).served).toMatchObject({
      channel: "second",
      attempts: 2,
    });
    expect([other.first.speechJobs[0]?.voice, other.second.speechJobs[0]?.voice]).toEqual([
      "nova",
      "alloy",
    ]);
    expect(second.speechJobs).toHaveLength(1);
  });

  it("that no channel has are reported with the available ones", async () => {
    const { synthesize } = two(onlyNova, aliases, onlyNova);
    await expect(synthesize({ voice: "b".repeat(99) })).rejects.toMatchObject({
      key: "unsupported_value",
      param: "voice",
      message: `'voice' must be one of 'nova'; '${"b".repeat(40)}' was given.`,
    });
  });

  it.each([
    ["af_bela", ["af_bella"]],
    ["BELLA", ["af_bella"]],
    ["bela", ["af_bella"]],
    ["af_alexx", ["em_alex", "pm_alex"]],
    ["alex", ["em_alex", "pm_alex"]],
    ["af_bella(2)+af_skye", ["af_sky"]],
    ["zoe", []],
  ])("that no channel has are reported with near ones: %s", async (voice, near) => {
    const voices = ["af_bella", "af_sky", "em_alex", "pm_alex"].map((id) => ({
      ...fakeVoices[0]!,
      id,
    }));
    const error: unknown = await two({ voices }, {}, { voices })
      .synthesize({ voice })
      .catch((reason: unknown) => reason);
    const [, names = ""] = /[Dd]id you mean (.*)\?/.exec((error as Error).message) ?? [];
    expect(names.match(/[\w_]+/g) ?? []).toEqual(near);
  });
});

describe("cancelling", () => {
  it.each([false, true])(
    "the loop ends the transcription and releases the probe (stream: %s)",
    async (stream) => {
      const { state, watch } = watched();
      const health = probing();
      const { router } = createTestRouter([
        toRegisteredChannel(
          createFakeChannel({
            transcribe: () => watch(emit([progress(1), segmentEvent, progress(2), done])),
          }),
          { health },
        ),
      ]);
      for await (const _ of router.transcribe(transcriptionJob({ stream }), asOwner)) {
        expect([state.running, health.wouldAdmit()]).toEqual([1, false]);
        break;
      }
      expect([state, health.wouldAdmit(), health.view().failures]).toEqual([
        { running: 0, begun: 1 },
        true,
        1,
      ]);
    },
  );

  it("the loop ends the synthesis and releases the probe", async () => {
    const { state, watch } = watched();
    const health = probing();
    const { router } = createTestRouter([
      toRegisteredChannel(
        createFakeChannel({ synthesize: () => watch(streamSpeech(["a", "b"])) }),
        { health },
      ),
    ]);
    for await (const _ of router.synthesize(speechJob(), asOwner)) break;
    expect([state.running, health.wouldAdmit(), health.view()]).toMatchObject([
      0,
      true,
      { state: "closed", successes: 0 },
    ]);
  });

  it("by an abort signal ends the work and releases the probe", async () => {
    const { state, watch } = watched();
    const health = probing();
    const stop = new AbortController();
    const { router } = createTestRouter([
      toRegisteredChannel(createFakeChannel({ synthesize: (_, signal) => watch(hangs(signal)) }), {
        health,
      }),
      toRegisteredChannel(createFakeChannel()),
    ]);
    const chunks = router.synthesize(speechJob(), { ...asOwner, signal: stop.signal });
    await chunks.next();
    const next = chunks.next();
    stop.abort(new Error("the client left"));
    await expect(next).rejects.toThrow("the client left");
    expect([state, health.wouldAdmit(), health.view().failures]).toEqual([
      { running: 0, begun: 1 },
      true,
      1,
    ]);
  });

  it("ends the count as an active request, even if the consumer stops reading", async () => {
    const stop = new AbortController();
    const { router, healths } = two({ synthesize: (_, signal) => hangs(signal) });
    await router.synthesize(speechJob(), { ...asOwner, signal: stop.signal }).next();
    expect(healths[0]?.inFlightCount()).toBe(1);
    stop.abort();
    expect(healths[0]?.inFlightCount()).toBe(0);
  });

  it("before the response reports the channel and the duration of the file that was sent", async () => {
    const stop = new AbortController();
    // oxlint-disable-next-line require-yield
    async function* waits(signal: AbortSignal): AsyncGenerator<TranscriptionEvent> {
      setImmediate(() => stop.abort(new Error("the client left")));
      await rejectOnAbort(signal);
    }
    const channel = createFakeChannel({ name: "groq", transcribe: (_, signal) => waits(signal) });
    const { router, watch } = createTestRouter(
      [toRegisteredChannel(channel, { prefix: "groq", isPaid: true })],
      {
        measureMediaSec: async (path, signal) =>
          path === "/nowhere.wav" && !signal.aborted ? 61 : 0,
      },
    );
    const { served, options } = watch(stop.signal, "transcriptions");
    await expect(
      router.transcribe(transcriptionJob({ model: "groq/whisper-1" }), options).next(),
    ).rejects.toThrow("the client left");
    expect(served).toEqual({
      attempts: 1,
      latestAttempt: {
        channel: "groq",
        model: "groq/whisper-1",
        isPaid: true,
        hasFailed: false,
        mediaSec: 61,
      },
    });
  });

  it("leaves nothing running when another channel takes over", async () => {
    const { state, watch } = watched();
    const stillRunning: number[] = [];
    const takesOver: FakeScript = {
      synthesize() {
        stillRunning.push(state.running);
        return watch(streamSpeech(["b"]));
      },
    };
    const { synthesize } = two(
      { synthesize: () => watch(emit([chunk("")], cutOff)) },
      {},
      takesOver,
    );
    expect((await synthesize()).text).toBe("b");
    expect([state, stillRunning]).toEqual([{ running: 0, begun: 2 }, [0]]);
  });

  it("tries no other channel, even if the cleanup of the channel fails", async () => {
    async function* failOnReturn(): AsyncGenerator<SpeechChunk> {
      try {
        yield chunk("");
      } finally {
        await Promise.reject(cutOff);
      }
    }
    const { router, second } = two({ synthesize: () => failOnReturn() });
    const chunks = router.synthesize(speechJob(), asOwner);
    await chunks.next();
    await expect(chunks.return()).rejects.toBe(cutOff);
    expect([second.speechJobs, await chunks.next()]).toEqual([
      [],
      { done: true, value: undefined },
    ]);
  });

  it("before the first read sends no request", async () => {
    const { router, records, first } = two({});
    await router.transcribe(transcriptionJob(), asOwner).return();
    expect([first.transcriptionJobs, records]).toEqual([[], []]);
  });
});

it("lets one request probe a channel after its cooldown, and sends the others elsewhere", async () => {
  const clock = { ms: 0 };
  const health = createHealth({ now: () => clock.ms, policy: { failuresToOpen: 1 } });
  health.admit()?.markFailed(cutOff, true);
  clock.ms = 60_000;
  const gate = Promise.withResolvers<void>();
  const first = createFakeChannel({
    name: "first",
    async *synthesize() {
      await gate.promise;
      yield chunk("a");
    },
  });
  const { synthesize } = createTestRouter([
    toRegisteredChannel(first, { priority: 0, health }),
    toRegisteredChannel(createFakeChannel({ name: "second" })),
  ]);
  const probe = synthesize();
  expect((await synthesize()).served.channel).toBe("second");
  gate.resolve();
  expect((await probe).served.channel).toBe("first");
  expect((await synthesize()).served.channel).toBe("first");
  expect(health.view().state).toBe("closed");
});

it("closes the breaker when the response of the probe starts, even if the consumer stops reading", async () => {
  const health = probing();
  const { router } = createTestRouter([
    toRegisteredChannel(createFakeChannel({ synthesize: () => streamSpeech(["a", "b"]) }), {
      health,
    }),
  ]);
  const stuck = router.synthesize(speechJob(), asOwner);
  await stuck.next();
  expect([health.view().state, health.wouldAdmit()]).toEqual(["closed", true]);
  await stuck.return();
});

it("records how long the responses took to start", async () => {
  const clock = { ms: 0 };
  const health = createHealth({ now: () => clock.ms });
  async function* slow(): AsyncGenerator<SpeechChunk> {
    yield chunk("");
    clock.ms += 40;
    yield chunk("a");
    clock.ms += 1000;
    yield chunk("b");
  }
  await createTestRouter([
    toRegisteredChannel(createFakeChannel({ synthesize: () => slow() }), { health }),
  ]).synthesize();
  expect(health.view()).toMatchObject({ p50Ms: 40, p95Ms: 40, successes: 1 });
});

import { describe, expect, it } from "vitest";

import { appError } from "../../../support/app-error.ts";
import {
  transcriptionResponse,
  verboseTranscriptionResponse,
} from "../../../../main/contract/openai.ts";
import type { TranscriptionEvent } from "../../../../main/contract/speech.ts";
import {
  createFakeChannel,
  failingIterable,
  fakeTranscript,
  segment,
  streamTranscript,
  rejectOnAbort,
} from "../../../support/fake-channel.ts";
import {
  toRegisteredChannel,
  createTestGateway,
  uploadForm,
  wavBytes,
} from "../../../support/gateway-server.ts";

const path = "/v1/audio/transcriptions";
const sentences = "Hear what is said. And say it again.";
const post = (body: BodyInit, headers = {}) => ({ method: "POST", body, headers });

const inFormat = (format: string) =>
  post(uploadForm({ model: "whisper-1", response_format: format }));

/** The events of a stream, without comments. */
async function events(response: Response): Promise<unknown[]> {
  return Array.from((await response.text()).matchAll(/^data: (.*)$/gm), ([, json]) =>
    JSON.parse(json ?? ""),
  );
}

describe("the response", () => {
  it("is the text in JSON unless another format is requested", async () => {
    const { request, tempFiles } = await createTestGateway();
    const response = await request(path, post(uploadForm()));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(transcriptionResponse.strict().parse(await response.json())).toEqual({
      text: sentences,
      usage: { type: "duration", seconds: 4 },
    });
    expect(await tempFiles()).toEqual([]);
  });

  it.each([
    ["text", `${sentences}\n`],
    [
      "srt",
      "1\n00:00:00,000 --> 00:00:01,500\nHear what is said.\n\n" +
        "2\n00:00:01,750 --> 00:00:03,320\nAnd say it again.\n\n",
    ],
    [
      "vtt",
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHear what is said.\n\n" +
        "00:00:01.750 --> 00:00:03.320\nAnd say it again.\n\n",
    ],
  ])("as %s is plain text", async (format, expected) => {
    const { request } = await createTestGateway();
    const response = await request(
      path,
      post(uploadForm({ model: "whisper-1", response_format: format })),
    );
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(expected);
  });

  it("as verbose_json has the ten fields of a segment, with numbers as numbers", async () => {
    const { request } = await createTestGateway();
    const body = await (
      await request(path, post(uploadForm({ model: "whisper-1", response_format: "verbose_json" })))
    ).json();
    const { segments = [], ...rest } = verboseTranscriptionResponse.strict().parse(body);
    expect(rest).toEqual({
      task: "transcribe",
      language: "english",
      duration: 3.32,
      text: sentences,
      usage: { type: "duration", seconds: 4 },
    });
    expect(segments[1]).toEqual({
      id: 1,
      seek: 175,
      start: 1.75,
      end: 3.32,
      text: " And say it again.",
      tokens: [11, 12],
      temperature: 0,
      avg_logprob: -0.25,
      compression_ratio: 1.25,
      no_speech_prob: 0.03,
    });
  });

  it.each([
    ["word", ["words"]],
    ["segment", ["segments"]],
    [
      ["word", "segment"],
      ["segments", "words"],
    ],
  ])("as verbose_json contains the times of each %s", async (requested, given) => {
    for (const name of ["timestamp_granularities[]", "timestamp_granularities"]) {
      const { request, channel } = await createTestGateway();
      const body = await (
        await request(
          path,
          post(
            uploadForm({ model: "whisper-1", response_format: "verbose_json", [name]: requested }),
          ),
        )
      ).json();
      expect(Object.keys(body).filter((key) => key === "words" || key === "segments")).toEqual(
        given,
      );
      expect(channel.transcriptionJobs[0]?.wordTimes).toBe(given.includes("words"));
      expect(body.words?.[0]).toEqual(
        given.includes("words") ? { word: "Hear", start: 0, end: 0.4 } : undefined,
      );
    }
  });

  it("to silence is empty, not null", async () => {
    const silence = { language: "english", durationSec: 2, text: "", segments: [], failed: [] };
    const { request } = await createTestGateway({
      script: { transcribe: () => streamTranscript(silence) },
    });
    expect(await (await request(path, inFormat("verbose_json"))).json()).toMatchObject({
      text: "",
      segments: [],
    });
    expect(await (await request(path, inFormat("srt"))).text()).toBe("");
    expect(await (await request(path, inFormat("vtt"))).text()).toBe("WEBVTT\n\n");
  });

  it("reports in every format the ranges that could not be transcribed", async () => {
    const failed = [{ startSec: 3, endSec: 5.5, message: "The engine stopped." }];
    const { request } = await createTestGateway({
      script: { transcribe: (job) => streamTranscript({ ...fakeTranscript(job), failed }) },
    });
    for (const format of ["json", "verbose_json", "text", "srt", "vtt"]) {
      expect((await request(path, inFormat(format))).headers.get("x-hearsay-partial")).toBe("true");
    }
    for (const format of ["json", "verbose_json"]) {
      expect(await (await request(path, inFormat(format))).json()).toMatchObject({
        partial: true,
        failed: [{ start: 3, end: 5.5, message: "The engine stopped." }],
      });
    }
  });
});

describe("the job", () => {
  it("contains the fields of the form, with the recording at a path of its own", async () => {
    const { request, channel } = await createTestGateway();
    await request(
      path,
      post(
        uploadForm({
          prompt: "Hearsay, Hibari",
          language: "German",
          temperature: "0.2",
          model: "whisper-1",
          user: "x",
          "include[]": "logprobs",
        }),
      ),
    );
    expect(channel.transcriptionJobs).toEqual([
      {
        task: "transcribe",
        model: "whisper-1",
        mediaPath: expect.stringMatching(/upload-[\w-]+$/),
        mediaBytes: wavBytes(),
        language: "de",
        prompt: "Hearsay, Hibari",
        temperature: 0.2,
        wordTimes: false,
        textOnly: true,
        stream: false,
        extraFields: new Map([
          ["user", ["x"]],
          ["include[]", ["logprobs"]],
        ]),
        via: [],
      },
    ]);
  });

  it("treats empty fields as omitted and uses the last of a field sent twice", async () => {
    const { request, channel } = await createTestGateway();
    const fields = {
      model: ["tts-1", "whisper-1"],
      language: "",
      prompt: "",
      response_format: "",
      temperature: "",
      stream: "",
    };
    expect((await request(path, post(uploadForm(fields)))).status).toBe(200);
    expect(channel.transcriptionJobs[0]).not.toHaveProperty("language");
    expect(channel.transcriptionJobs[0]).not.toHaveProperty("prompt");
  });

  it("goes to the channel of the model, with the id that the channel uses", async () => {
    const cloud = createFakeChannel();
    const { request, channel } = await createTestGateway({
      channels: [toRegisteredChannel(cloud, "cloud")],
    });
    await request(path, post(uploadForm({ model: "cloud/whisper-1" })));
    expect([channel.transcriptionJobs.length, cloud.transcriptionJobs[0]?.model]).toEqual([
      0,
      "whisper-1",
    ]);
  });

  it("of a translation requests English and responds with the language of the text", async () => {
    const { request, channel } = await createTestGateway({
      script: {
        transcribe: (job) => streamTranscript({ ...fakeTranscript(job), language: "german" }),
      },
    });
    const response = await request(
      "/v1/audio/translations",
      post(uploadForm({ model: "whisper-1", response_format: "verbose_json" })),
    );
    expect(await response.json()).toMatchObject({
      task: "translate",
      language: "english",
      text: sentences,
    });
    expect(channel.transcriptionJobs[0]?.task).toBe("translate");
  });

  it("of a translation accepts the fields of a transcription", async () => {
    const { request, channel } = await createTestGateway();
    const form = { model: "whisper-1", language: "English", stream: "true" };
    const stream = await (await request("/v1/audio/translations", post(uploadForm(form)))).text();
    expect(stream).toContain("transcript.text.done");
    expect(channel.transcriptionJobs[0]).toMatchObject({ task: "translate", language: "en" });
  });
});

describe("a form that cannot be served", () => {
  const invalid = "invalid_request_error";
  it.each([
    [
      {},
      {
        param: "model",
        code: "missing_required_parameter",
        message: "You must provide the field 'model'.",
      },
    ],
    [
      { model: "whisper-9" },
      {
        param: "model",
        code: "model_not_found",
        message: "The model 'whisper-9' does not exist. Available here: 'whisper-1'.",
      },
      404,
    ],
    [
      { model: "tts-1" },
      {
        param: "model",
        code: "invalid_value",
        message: "The model 'tts-1' is for speech. Available here: 'whisper-1'.",
      },
    ],
    [
      { model: "whisper-1", language: "klingon" },
      {
        param: "language",
        code: "invalid_value",
        message: expect.stringContaining("Unknown language 'klingon'"),
      },
    ],
    [
      { model: "whisper-1", temperature: "1.5" },
      {
        param: "temperature",
        code: "invalid_value",
        message: "'temperature' must be a number from 0 to 1; '1.5' was given.",
      },
    ],
    [
      { model: "whisper-1", temperature: "NaN" },
      {
        param: "temperature",
        code: "invalid_value",
        message: "'temperature' must be a number from 0 to 1; 'NaN' was given.",
      },
    ],
    [
      { model: "whisper-1", temperature: "0x1" },
      {
        param: "temperature",
        code: "invalid_value",
        message: "'temperature' must be a number from 0 to 1; '0x1' was given.",
      },
    ],
    [{ model: "whisper-1", temperature: "-0.1" }, { param: "temperature" }],
    [{ model: "whisper-1", temperature: "warm" }, { param: "temperature" }],
    [
      { model: "whisper-1", response_format: "xml" },
      {
        param: "response_format",
        code: "unsupported_value",
        message:
          "'response_format' must be one of 'json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'; 'xml' was given.",
      },
    ],
    [
      { model: "whisper-1", stream: "perhaps" },
      { param: "stream", message: "'stream' must be 'true' or 'false'; 'perhaps' was given." },
    ],
    [
      {
        model: "whisper-1",
        response_format: "verbose_json",
        "timestamp_granularities[]": "letter",
      },
      { param: "timestamp_granularities" },
    ],
    [
      { model: "whisper-1", "timestamp_granularities[]": "word" },
      { param: "timestamp_granularities", message: expect.stringContaining("verbose_json") },
    ],
  ])("%j gets a message with the reason", async (fields, error, status = 400) => {
    const { request, channel, tempFiles } = await createTestGateway();
    const response = await request(path, post(uploadForm(fields as Record<string, string>)));
    expect(response.status).toBe(status);
    expect((await response.json()).error).toMatchObject({ type: invalid, ...error });
    expect(channel.transcriptionJobs).toEqual([]);
    expect(await tempFiles()).toEqual([]);
  });

  it("is reported when the channel does not support the language, and the recording is removed", async () => {
    const { request, tempFiles } = await createTestGateway({
      script: {
        transcribe: () =>
          failingIterable(() =>
            appError("unsupported_language", "This model does not transcribe 'german'.", {
              param: "language",
            }),
          ),
      },
    });
    for (const stream of ["false", "true"]) {
      const response = await request(path, post(uploadForm({ model: "whisper-1", stream })));
      expect(response.status).toBe(400);
      expect((await response.json()).error).toMatchObject({
        param: "language",
        code: "unsupported_language",
      });
      expect(await tempFiles()).toEqual([]);
    }
  });
});

describe("a stream", () => {
  it("contains each segment as it is transcribed, then the whole", async () => {
    const { request, tempFiles } = await createTestGateway();
    for (const format of ["json", "text"]) {
      const response = await request(
        path,
        post(uploadForm({ model: "whisper-1", stream: "true", response_format: format })),
      );
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(await events(response)).toEqual([
        { type: "transcript.text.delta", delta: "Hear what is said." },
        { type: "transcript.text.delta", delta: " And say it again." },
        { type: "transcript.text.done", text: sentences, usage: { type: "duration", seconds: 4 } },
      ]);
      expect(await tempFiles()).toEqual([]);
    }
  });

  it.each([
    ["/v1/audio/transcriptions", "今天。", "你好。", ""],
    ["/v1/audio/translations", "Today.", "Hello.", " "],
  ])(
    "has a space between segments only where the language has any: %s",
    async (route, first, second, gap) => {
      const segments = [first, second].map((text, place) => ({
        ...segment(place, place + 1, text),
        language: "zh",
      }));
      const { request } = await createTestGateway({
        script: {
          transcribe: () =>
            streamTranscript({
              language: "chinese",
              durationSec: 2,
              text: first + gap + second,
              segments,
              failed: [],
            }),
        },
      });
      const deltas = (await events(
        await request(route, post(uploadForm({ model: "whisper-1", stream: "true" }))),
      )) as { delta?: string }[];
      expect(deltas.map(({ delta = "" }) => delta).join("")).toBe(first + gap + second);
      const whole = verboseTranscriptionResponse.parse(
        await (await request(route, inFormat("verbose_json"))).json(),
      );
      expect(whole.segments?.map(({ text }) => text)).toEqual([gap + first, gap + second]);
    },
  );

  it("is not used for formats that need the whole transcript, as with whisper-1", async () => {
    const { request } = await createTestGateway();
    const response = await request(
      path,
      post(uploadForm({ model: "whisper-1", stream: "true", response_format: "verbose_json" })),
    );
    expect((await response.json()).segments).toHaveLength(2);
  });

  it("sends the first segment before the second exists, and keep-alive comments in between", async () => {
    const second = Promise.withResolvers<void>();
    const { request } = await createTestGateway({
      limits: { keepAliveMs: 5 },
      script: {
        async *transcribe(job): AsyncGenerator<TranscriptionEvent> {
          yield { type: "segment", segment: segment(0, 1, "First.") };
          await second.promise;
          yield* streamTranscript({ ...fakeTranscript(job), segments: [], text: "First." });
        },
      },
    });
    const response = await request(path, post(uploadForm({ model: "whisper-1", stream: "true" })));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe(
      'data: {"type":"transcript.text.delta","delta":"First."}\n\n',
    );
    expect((await reader.read()).value).toBe(": still at it\n\n");
    second.resolve();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain("transcript.text.done");
  });

  it("that fails midway reports it in an event", async () => {
    const { request, tempFiles } = await createTestGateway({
      script: {
        async *transcribe(): AsyncGenerator<TranscriptionEvent> {
          yield { type: "segment", segment: segment(0, 1, "First.") };
          throw appError("engine_failed", "The engine stopped.");
        },
      },
    });
    const streamEvents = await events(
      await request(path, post(uploadForm({ model: "whisper-1", stream: "true" }))),
    );
    expect(streamEvents.at(-1)).toEqual({
      error: {
        message: "The engine stopped.",
        type: "server_error",
        param: null,
        code: "engine_failed",
      },
    });
    expect(streamEvents).toHaveLength(2);
    expect(await tempFiles()).toEqual([]);
  });

  it("that the client stops reading ends the work and removes the recording", async () => {
    const stopped = Promise.withResolvers<void>();
    const { request, tempFiles } = await createTestGateway({
      script: {
        async *transcribe(_job, signal): AsyncGenerator<TranscriptionEvent> {
          try {
            yield { type: "segment", segment: segment(0, 1, "First.") };
            await rejectOnAbort(signal);
          } finally {
            stopped.resolve();
          }
        },
      },
    });
    for (const readsFirst of [true, false]) {
      const response = await request(
        path,
        post(uploadForm({ model: "whisper-1", stream: "true" })),
      );
      const reader = response.body!.getReader();
      if (readsFirst) {
        await reader.read();
        const waiting = reader.read();
        await reader.cancel();
        await waiting;
        await stopped.promise;
      } else await reader.cancel();
      expect(await tempFiles()).toEqual([]);
    }
  });
});

describe("a client that disconnects", () => {
  it("ends the work", async () => {
    const began = Promise.withResolvers<void>();
    const { request, tempFiles, logLines } = await createTestGateway({
      script: {
        transcribe: (_job, signal) => {
          began.resolve();
          return failingIterable(() => rejectOnAbort(signal));
        },
      },
    });
    const leaving = new AbortController();
    const answer = request(path, { ...post(uploadForm()), signal: leaving.signal });
    await began.promise;
    leaving.abort();
    await answer;
    expect(await tempFiles()).toEqual([]);
    expect(logLines).toEqual([]);
  });
});

describe("a recording", () => {
  it("may come before or after its fields, without a name or with a strange one", async () => {
    const { request } = await createTestGateway();
    for (const name of ["said.wav", "audio", "wav", "a/b.wav", "unknown_file", 'Über "uns".wav']) {
      for (const fileFirst of [true, false]) {
        const form = new FormData();
        if (!fileFirst) form.append("model", "whisper-1");
        form.append(
          "file",
          new Blob([new Uint8Array(wavBytes())], { type: "application/octet-stream" }),
          name,
        );
        if (fileFirst) form.append("model", "whisper-1");
        expect((await request(path, post(form))).status).toBe(200);
      }
    }
  });
});

/** Fails; it receives the audio only if it can be reached. */
const refusing = (isConnected: boolean) =>
  createFakeChannel({
    name: isConnected ? "first" : "unreachable",
    isReachable: isConnected,
    transcribe: () => failingIterable(() => appError("upstream_unreachable", "Not there.")),
  });

it("records in the item each channel that received audio from the window, and in no other item", async () => {
  const given: string[] = [];
  const { request, gateway } = await createTestGateway({
    channels: [
      toRegisteredChannel(refusing(false)),
      { ...toRegisteredChannel(refusing(true)), priority: 20 },
      {
        ...toRegisteredChannel(createFakeChannel({ name: "second", isLocal: true })),
        priority: 30,
      },
    ],
    deps: { onItemSent: (itemId, channel) => void given.push(`${itemId} ${channel}`) },
  });
  await request(path, post(uploadForm(), { "hearsay-item": "abc" }));
  expect(given).toEqual([]);
  await gateway.handle(
    new Request(`http://127.0.0.1${path}`, post(uploadForm(), { "hearsay-item": "abc" })),
    { isTrusted: true },
  );
  expect(given).toEqual(["abc first", "abc second"]);
});

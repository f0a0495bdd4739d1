// The official OpenAI client against a real port, since most programs send what it sends.

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, toFile } from "openai";
import { describe, expect, it } from "vitest";

import { diarizedTranscriptionResponse } from "../../../main/contract/openai.ts";
import { labelSpeakers } from "../../../main/inference/speaker-labels.ts";
import { appError } from "../../support/app-error.ts";
import type { SpeechChunk, TranscriptionEvent } from "../../../main/contract/speech.ts";
import { segment, rejectOnAbort } from "../../support/fake-channel.ts";
import { testKey, startTestServer, wavBytes } from "../../support/gateway-server.ts";
import type { TestServer } from "../../support/gateway-server.ts";

const sentences = "Hear what is said. And say it again.";
const client = ({ baseURL }: TestServer, apiKey = testKey) =>
  new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const recording = (sizeBytes?: number) => toFile(wavBytes(sizeBytes), "said.wav");

const findSpeakers = async () => ({
  turns: [
    { fromSec: 0, toSec: 1.8, speaker: 0 },
    { fromSec: 1.8, toSec: 3.3, speaker: 1 },
  ],
  prints: [],
});

describe("a transcription by the official client", () => {
  it("works in every response format", async () => {
    const server = await startTestServer();
    const { transcriptions } = client(server).audio;
    const file = await recording();
    expect((await transcriptions.create({ file, model: "whisper-1" })).text).toBe(sentences);
    expect(await transcriptions.create({ file, model: "whisper-1", response_format: "text" })).toBe(
      `${sentences}\n`,
    );
    expect(
      await transcriptions.create({ file, model: "whisper-1", response_format: "srt" }),
    ).toMatch(/^1\n00:00:00,000 --> 00:00:01,500\n/);
    expect(
      await transcriptions.create({ file, model: "whisper-1", response_format: "vtt" }),
    ).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
    const verbose = await transcriptions.create({
      file,
      model: "whisper-1",
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect([verbose.duration, verbose.segments?.length, verbose.words?.[0]?.word]).toEqual([
      3.32,
      2,
      "Hear",
    ]);
    expect(await server.tempFiles()).toEqual([]);
  });

  it.each([["auto" as const], [{ type: "server_vad" as const }]])(
    "tells speakers apart under the name that OpenAI has for it, with chunking_strategy %o",
    async (strategy) => {
      const server = await startTestServer({
        router: {
          labelSpeakers: {
            check() {},
            label: (events, job, signal) => labelSpeakers({ findSpeakers }, events, job, signal),
          },
        },
      });
      const answer = await client(server).audio.transcriptions.create({
        file: await recording(),
        model: "gpt-4o-transcribe-diarize",
        response_format: "diarized_json",
        chunking_strategy: strategy,
      });
      const { segments } = diarizedTranscriptionResponse.parse(answer);
      expect(segments.map(({ speaker, text }) => `${speaker}: ${text.trim()}`)).toEqual([
        "A: Hear what is said.",
        "B: And say it again.",
      ]);
    },
  );

  it("works for a file that is streamed without its length, before the other fields", async () => {
    const server = await startTestServer();
    const path = join(server.deps.tempDir(), "own.wav");
    await writeFile(path, wavBytes(1_000_000));
    const { text } = await client(server).audio.transcriptions.create({
      file: createReadStream(path),
      model: "whisper-1",
      language: "en",
      prompt: "x",
    });
    expect(text).toBe(sentences);
    expect(server.channel.transcriptionJobs[0]).toMatchObject({ language: "en", prompt: "x" });
    expect(await server.tempFiles()).toEqual(["own.wav"]);
  });

  it("can be streamed", async () => {
    const server = await startTestServer();
    const events = await client(server).audio.transcriptions.create({
      file: await recording(),
      model: "whisper-1",
      stream: true,
    });
    const deltas: string[] = [];
    for await (const event of events)
      deltas.push(
        event.type === "transcript.text.done" ? event.text : "delta" in event ? event.delta : "",
      );
    expect(deltas).toEqual(["Hear what is said.", " And say it again.", sentences]);
  });

  it("reports that a stream failed midway", async () => {
    const server = await startTestServer({
      script: {
        async *transcribe(): AsyncGenerator<TranscriptionEvent> {
          yield { type: "segment", segment: segment(0, 1, "First.") };
          throw appError("engine_failed", "The engine stopped.");
        },
      },
    });
    const events = await client(server).audio.transcriptions.create({
      file: await recording(),
      model: "whisper-1",
      stream: true,
    });
    const read = async () => {
      for await (const event of events) expect(event).toMatchObject({ delta: "First." });
    };
    await expect(read()).rejects.toMatchObject({ code: "engine_failed", type: "server_error" });
  });

  it("can be a translation", async () => {
    const server = await startTestServer();
    expect(
      (
        await client(server).audio.translations.create({
          file: await recording(),
          model: "whisper-1",
        })
      ).text,
    ).toBe(sentences);
    expect(server.channel.transcriptionJobs[0]?.task).toBe("translate");
  });
});

describe("speech requested by the official client", () => {
  it("has the bytes of the file", async () => {
    const server = await startTestServer();
    const response = await client(server).audio.speech.create({
      model: "tts-1",
      voice: "nova",
      input: "It is said.",
    });
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe("said: It is said.");
  });

  it("arrives chunk by chunk, while the rest is being generated", async () => {
    const second = Promise.withResolvers<void>();
    const server = await startTestServer({
      script: {
        async *synthesize(): AsyncGenerator<SpeechChunk> {
          yield { bytes: Buffer.from("first"), audioSec: 1, progress: 0.5 };
          await second.promise;
          yield { bytes: Buffer.from("second"), audioSec: 2, progress: 1 };
        },
      },
    });
    const response = await client(server).audio.speech.create({
      model: "tts-1",
      voice: "nova",
      input: "x",
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("first");
    second.resolve();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("second");
    expect((await reader.read()).done).toBe(true);
  });

  it("that breaks off is reported as an error", async () => {
    const server = await startTestServer({
      script: {
        async *synthesize(): AsyncGenerator<SpeechChunk> {
          yield { bytes: Buffer.from("first"), audioSec: 1, progress: 0.5 };
          throw appError("engine_failed", "The engine stopped.");
        },
      },
    });
    const response = await client(server).audio.speech.create({
      model: "tts-1",
      voice: "nova",
      input: "x",
    });
    await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    expect(server.logLines).toHaveLength(1);
  });

  it("is cancelled when the client leaves", async () => {
    const stopped = Promise.withResolvers<void>();
    const server = await startTestServer({
      script: {
        async *synthesize(_job, signal): AsyncGenerator<SpeechChunk> {
          try {
            yield { bytes: Buffer.from("first"), audioSec: 1, progress: 0.5 };
            await rejectOnAbort(signal);
          } finally {
            stopped.resolve();
          }
        },
      },
    });
    const leaving = new AbortController();
    const response = await client(server).audio.speech.create(
      { model: "tts-1", voice: "nova", input: "x" },
      { signal: leaving.signal },
    );
    await (response.body as ReadableStream<Uint8Array>).getReader().read();
    leaving.abort();
    await stopped.promise;
    expect(server.logLines).toEqual([]);
  });
});

describe("the official client finds", () => {
  it("models, also those with slashes in their ids", async () => {
    const models = [
      { id: "cloud/openai/whisper", created: 1, ownedBy: "cloud", kind: "speech-to-text" as const },
    ];
    const server = await startTestServer({ script: { models } });
    const ids: string[] = [];
    for await (const model of client(server).models.list()) ids.push(model.id);
    expect(ids).toEqual(["cloud/openai/whisper"]);
    expect(await client(server).models.retrieve("cloud/openai/whisper")).toMatchObject({
      object: "model",
      owned_by: "cloud",
    });
  });
});

describe("the official client gets an error", () => {
  it("of the matching class, with the request id", async () => {
    const server = await startTestServer();
    const wrongKey = await client(server, "hs-wrong")
      .models.list()
      .catch((error: unknown) => error);
    expect(wrongKey).toBeInstanceOf(AuthenticationError);
    expect(wrongKey).toMatchObject({
      status: 401,
      type: "authentication_error",
      requestID: expect.stringMatching(/^req_/),
    });
    const noModel = await client(server)
      .models.retrieve("nothing")
      .catch((error: unknown) => error);
    expect(noModel).toBeInstanceOf(NotFoundError);
    expect(noModel).toMatchObject({
      status: 404,
      code: "model_not_found",
      type: "invalid_request_error",
    });
    const badVoice = await client(server)
      .audio.speech.create({ model: "tts-1", voice: "bob", input: "x" })
      .catch((error: unknown) => error);
    expect(badVoice).toBeInstanceOf(BadRequestError);
    expect(badVoice).toMatchObject({ status: 400, param: "voice" });
    const badFile = await client(server)
      .audio.transcriptions.create({
        file: await toFile(Buffer.from("text"), "a.wav"),
        model: "whisper-1",
      })
      .catch((error: unknown) => error);
    expect(badFile).toBeInstanceOf(BadRequestError);
    expect((badFile as BadRequestError).message).toContain("Supported formats: ['mp3'");
  });

  it("with 413 for a file of 40 MB, with and without its length", async () => {
    const server = await startTestServer();
    const path = join(server.deps.tempDir(), "long.wav");
    await writeFile(path, wavBytes(40_000_000));
    for (const file of [await recording(40_000_000), createReadStream(path)]) {
      const refused = client(server).audio.transcriptions.create({ file, model: "whisper-1" });
      await expect(refused).rejects.toMatchObject({
        status: 413,
        type: "invalid_request_error",
        message: expect.stringContaining("25 MB"),
      });
    }
    expect(await server.tempFiles()).toEqual(["long.wav"]);
  });

  it("with 401 for a file of 40 MB, none of which is stored", async () => {
    const server = await startTestServer();
    const path = join(server.deps.tempDir(), "long.wav");
    await writeFile(path, wavBytes(40_000_000));
    for (const file of [await recording(40_000_000), createReadStream(path)]) {
      await expect(
        client(server, "hs-wrong").audio.transcriptions.create({ file, model: "whisper-1" }),
      ).rejects.toMatchObject({ status: 401 });
    }
  });
});

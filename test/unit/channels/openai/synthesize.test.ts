// What is sent to a provider for synthesis, and how its audio is passed on.

import { describe, expect, it } from "vitest";
import type { AudioFormat } from "../../../../main/contract/speech.ts";
import { wavBytes } from "../../../support/gateway-server.ts";
import { respondWith, controlledResponse, startUpstream } from "../../../support/upstream.ts";
import { channelTo, failureOf, never, synthesize, speechJob } from "./support.ts";

const frame = Buffer.from([0xff, 0xfb, 0x90, 0x00]);
const mp3 = respondWith(200, "audio/mpeg", frame);

describe("the request", () => {
  it("contains the job and unknown extra fields", async () => {
    const upstream = await startUpstream(mp3);
    await synthesize(channelTo(upstream.baseUrl), {
      text: "Grüße.",
      voice: "nova",
      speed: 1.5,
      format: "mp3",
      extraFields: { instructions: "Calm.", model: "other" },
      via: ["gateway-z"],
    });
    expect(upstream.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/audio/speech",
      headers: { "content-type": "application/json", "x-hearsay-via": "gateway-a, gateway-z" },
    });
    expect(upstream.requests[0]?.json()).toEqual({
      instructions: "Calm.",
      model: "tts-1",
      input: "Grüße.",
      voice: "nova",
      response_format: "mp3",
      speed: 1.5,
    });
  });

  it("uses the provider's names for model and voice, and omits the default speed", async () => {
    const upstream = await startUpstream(mp3);
    const channel = channelTo(upstream.baseUrl, {
      config: { modelNames: { "tts-1": "kokoro" }, voiceNames: { alloy: "af_alloy" } },
    });
    await synthesize(channel);
    await synthesize(channel, { model: "other", voice: "constructor" });
    expect(upstream.requests.map((received) => received.json())).toEqual([
      { model: "kokoro", input: "Hello.", voice: "af_alloy", response_format: "mp3" },
      { model: "other", input: "Hello.", voice: "constructor", response_format: "mp3" },
    ]);
  });
});

async function madeSecOf(
  format: AudioFormat,
  type: string,
  bytes: Buffer,
): Promise<number | undefined> {
  const upstream = await startUpstream(respondWith(200, type, bytes));
  return (await synthesize(channelTo(upstream.baseUrl), { format })).at(-1)?.audioSec;
}

describe("the audio", () => {
  it("is passed on chunk by chunk as it arrives", async () => {
    const stream = controlledResponse("audio/mpeg");
    const upstream = await startUpstream(stream.behaviour);
    const chunksSource = channelTo(upstream.baseUrl).synthesize(speechJob(), never);
    const chunks = chunksSource[Symbol.asyncIterator]();
    for (const chunk of [frame, Buffer.from([1]), Buffer.alloc(5000, 7)]) {
      const next = chunks.next();
      await stream.write(chunk);
      expect(Buffer.from((await next).value?.bytes).equals(chunk)).toBe(true);
    }
    const last = chunks.next();
    await stream.end();
    expect((await last).done).toBe(true);
  });

  it("has a duration where the bytes reveal it", async () => {
    expect(await madeSecOf("wav", "audio/wav", wavBytes(44 + 16_000))).toBe(0.5);
    expect(await madeSecOf("pcm", "audio/pcm", Buffer.alloc(24_000))).toBe(0.5);
    expect(await madeSecOf("mp3", "audio/mpeg", frame)).toBeUndefined();
  });

  it.each<[AudioFormat, string, string]>([
    ["mp3", "audio/mpeg", "ID3"],
    ["mp3", "application/octet-stream", "\xff\xf3"],
    ["mp3", "audio/mp3", "x"],
    ["mp3", "", "\xff\xfb"],
    ["opus", "audio/ogg; codecs=opus", "OggS"],
    ["aac", "audio/aac", "\xff\xf1"],
    ["flac", "audio/x-flac", "fLaC"],
    ["pcm", "audio/pcm;rate=24000", "\xff\xff\xff\xff"],
    // Some servers label all audio as MPEG, so the bytes decide.
    ["wav", "audio/mpeg", "RIFF"],
  ])("is detected as %s when labelled %j and starting with %j", async (format, type, begin) => {
    const upstream = await startUpstream(respondWith(200, type, Buffer.from(begin, "latin1")));
    expect(await synthesize(channelTo(upstream.baseUrl), { format })).toHaveLength(1);
  });

  it.each<[AudioFormat, string, string]>([
    ["mp3", "audio/mpeg", "RIFF"],
    ["mp3", "audio/ogg", "x"],
    ["pcm", "audio/pcm", "RIFF"],
    ["aac", "audio/aac", "\xff\xfb"],
    ["wav", "image/png", "RIFF"],
    ["pcm", "application/octet-stream", ' {"error": "no"}'],
  ])("is not detected as %s when labelled %j and starting with %j", async (format, type, begin) => {
    const upstream = await startUpstream(respondWith(200, type, Buffer.from(begin, "latin1")));
    expect(await failureOf(synthesize(channelTo(upstream.baseUrl), { format }))).toMatchObject({
      key: "upstream_broken",
    });
  });
});

describe("the upstream request ends at once", () => {
  it("when the consumer leaves the loop", async () => {
    const stream = controlledResponse("audio/mpeg");
    const upstream = await startUpstream(stream.behaviour);
    const written = stream.write(frame);
    for await (const { bytes } of channelTo(upstream.baseUrl).synthesize(speechJob(), never)) {
      expect(bytes).toHaveLength(4);
      break;
    }
    await written;
    await stream.closed;
  });

  it("when it is aborted, even if the consumer is not reading", async () => {
    const stream = controlledResponse("audio/mpeg");
    const upstream = await startUpstream(stream.behaviour);
    const stop = new AbortController();
    const chunksSource = channelTo(upstream.baseUrl).synthesize(speechJob(), stop.signal);
    const chunks = chunksSource[Symbol.asyncIterator]();
    const first = chunks.next();
    await stream.write(frame);
    await first;
    const reason = new Error("the client left");
    stop.abort(reason);
    await stream.closed;
    expect(await failureOf(chunks.next())).toBe(reason);
  });
});

it("applies backpressure for a slow consumer instead of buffering", async () => {
  let written = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const upstream = await startUpstream(({ response }) => {
    response.writeHead(200, { "content-type": "audio/pcm" });
    const more = () => {
      while (!response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", more);
    more();
  });
  const chunksSource = channelTo(upstream.baseUrl).synthesize(
    speechJob({ format: "pcm", text: "x".repeat(4096) }),
    never,
  );
  const chunks = chunksSource[Symbol.asyncIterator]();
  await chunks.next();
  // The sender stops once the buffers of the connection are full.
  let before = -1;
  await expect
    .poll(() => [before, (before = written)].every((count) => count === written), { interval: 100 })
    .toBe(true);
  expect(written).toBeLessThan(32 * 2 ** 20);
  await chunks.return?.(undefined);
  await expect.poll(upstream.activeCount).toBe(0);
});

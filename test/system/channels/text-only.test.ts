// A gateway in its own process in front of a provider (in this process) whose model returns only text, or whose speech
// is priced by the minute: requests over /v1.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audioFormats } from "../../../main/contract/speech.ts";
import { openEncoder } from "../../../main/audio/codec/encode.ts";
import { joinSamples } from "../../../main/audio/codec/pcm.ts";
import { uploadForm } from "../../support/gateway-server.ts";
import { type HearsayProcess, startHearsay } from "../../support/hearsay-process.ts";
import { encodeAudio, silence, tone } from "../../support/test-audio.ts";
import { synthesizeSamples, voiceSampleRateHz } from "../../support/test-data.ts";
import { respondWith, json, openUpstream, type TestUpstream } from "../../support/upstream.ts";

let hearsay: HearsayProcess;
let upstream: TestUpstream;
let talk: Blob;
let talkSec: number;
/** Silence after each of the two sentences, in seconds. */
const pauseSec = 20;

beforeAll(async () => {
  hearsay = await startHearsay();
  upstream = await openUpstream();
  upstream.setBehaviour(
    json({ data: ["refuses-asr", "ignores-asr", "tts-long"].map((id) => ({ id })) }),
    "/models",
  );
  await hearsay.addChannel({
    name: "cloud",
    baseUrl: upstream.baseUrl,
    key: "sk-provider-0123456789",
  });
  await hearsay.app("changePrices", {
    prices: {
      "ignores-asr": { perMinuteUsd: 0.6 },
      "refuses-asr": { perMinuteUsd: 0.6 },
      "tts-long": { perMinuteUsd: 6 },
    },
  });
  const [one, other] = [
    await synthesizeSamples("The captain knows nearly all of them by name."),
    await synthesizeSamples("By evening the water is quiet again."),
  ];
  const samples = joinSamples([
    one,
    silence(pauseSec, voiceSampleRateHz),
    other,
    silence(pauseSec, voiceSampleRateHz),
  ]);
  talkSec = samples.length / voiceSampleRateHz;
  talk = new Blob([new Uint8Array(encodeAudio(samples, voiceSampleRateHz, "mp3"))]);
});
afterAll(async () => {
  await hearsay.close();
  await upstream.close();
});

/** A provider whose model returns only text: it refuses other formats, or ignores the format and returns text. */
function textOnly(isRefused: boolean) {
  let count = 0;
  upstream.setBehaviour(async ({ received, response }) => {
    const format = (await received.form()).get("response_format");
    if (isRefused && format !== "json") {
      return response.writeHead(400, { "content-type": "application/json" }).end(
        JSON.stringify({
          error: {
            message: `response_format '${String(format)}' is not compatible with this model.`,
            param: "response_format",
          },
        }),
      );
    }
    count += 1;
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ text: `Part ${count}.`, usage: { type: "tokens", total_tokens: 9 } }));
  }, "/transcriptions");
}

const transcribe = async (model: string, response_format: string): Promise<string> => {
  const response = await hearsay.request("/audio/transcriptions", {
    method: "POST",
    body: uploadForm({ model: `cloud/${model}`, response_format }, talk),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return text;
};
const requestCount = () =>
  upstream.requests.filter(({ path }) => path.endsWith("/transcriptions")).length;
const startSec = (cue: RegExpExecArray | undefined) =>
  Number(cue?.[2]) * 60 + Number(cue?.[3]) + Number(cue?.[4]) / 1000;
const spentUsd = async () => (await hearsay.app("readUsage")).total.spentUsd;

describe.each([
  ["refuses-asr", true],
  ["ignores-asr", false],
] as const)("a model that returns only text (%s)", (model, isRefused) => {
  it("gives a transcript with timestamps in every format, and gets a single request for plain text", async () => {
    textOnly(isRefused);
    const before = requestCount();
    expect(JSON.parse(await transcribe(model, "json"))).toMatchObject({ text: "Part 1." });
    expect(requestCount() - before).toBe(1);

    const spentBefore = await spentUsd();
    const srt = await transcribe(model, "srt");
    const cues = [
      ...srt.matchAll(
        /(\d\d):(\d\d):(\d\d),(\d{3}) --> (\d\d):(\d\d):(\d\d),(\d{3})\n(Part \d+\.)/g,
      ),
    ];
    expect(cues).toHaveLength(2);
    expect(startSec(cues[0])).toBeLessThan(1);
    expect(startSec(cues[1])).toBeGreaterThan(pauseSec);
    // Silence is not sent. A model that ignored the format was also paid once for the whole recording.
    const spokenSec = talkSec - 2 * pauseSec;
    const chargedSec = ((await spentUsd()) - spentBefore) * 100;
    expect(chargedSec).toBeGreaterThan((isRefused ? 0 : talkSec) + 0.8 * spokenSec);
    expect(chargedSec).toBeLessThan((isRefused ? 0 : talkSec) + spokenSec + 4);

    // One response without timestamps may be an accident. After a second one, or after a refusal, the whole recording
    // is not sent again in vain.
    if (!isRefused) await transcribe(model, "srt");
    const known = requestCount();
    expect(await transcribe(model, "vtt")).toMatch(/^WEBVTT\n[\s\S]*Part/);
    expect(requestCount() - known).toBe(2);
    const verbose = JSON.parse(await transcribe(model, "verbose_json")) as {
      duration: number;
      segments: { start: number; end: number }[];
    };
    expect(verbose.duration).toBeCloseTo(talkSec, 0);
    expect(verbose.segments).toHaveLength(2);
    expect(verbose.segments.every(({ start, end }) => end > start)).toBe(true);
  });
});

const synthesize = (response_format: string, more: object = {}) =>
  hearsay.request("/audio/speech", {
    method: "POST",
    body: JSON.stringify({
      model: "cloud/tts-long",
      voice: "nova",
      input: "Hello.",
      response_format,
      ...more,
    }),
  });

describe("speech that is priced by the minute", () => {
  const soundSec = 3;
  it.each(audioFormats)(
    "is metered by its duration, streamed as events or not (%s)",
    async (format) => {
      const sound = tone(440, soundSec, voiceSampleRateHz);
      const encoder = openEncoder({ format, quality: "standard", sampleRateHz: voiceSampleRateHz });
      const bytes = Buffer.concat([encoder.encode(sound), encoder.finish()]);
      encoder.close();
      upstream.setBehaviour(respondWith(200, "application/octet-stream", bytes), "/speech");
      for (const more of [{}, { stream_format: "sse" }]) {
        const before = await spentUsd();
        expect((await (await synthesize(format, more)).arrayBuffer()).byteLength).toBeGreaterThan(
          1000,
        );
        // 6 USD per minute are 0.1 USD per second.
        expect(((await spentUsd()) - before) * 10).toBeCloseTo(soundSec, 0);
      }
    },
  );

  it("is metered by an estimate when it cannot be decoded", async () => {
    upstream.setBehaviour(
      respondWith(
        200,
        "audio/mpeg",
        Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(2000, 7)]),
      ),
      "/speech",
    );
    const before = await spentUsd();
    await (await synthesize("mp3")).arrayBuffer();
    expect((await spentUsd()) - before).toBeGreaterThan(0);
  });
});

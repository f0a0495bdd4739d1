// The Wyoming protocol in the whole app, with its own models: by a client written for the tests, and by the Python
// package that Home Assistant uses.

import { afterAll, beforeAll, expect, it } from "vitest";
import { api } from "../../../main/contract/api.ts";
import type { UsageTotals } from "../../../main/contract/usage.ts";
import { waitUntil } from "../../support/command-line.ts";
import { findFreePort } from "../../support/free-port.ts";
import { startHearsay, type HearsayProcess } from "../../support/hearsay-process.ts";
import { normalizeWords } from "../../support/test-data.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { connectWyoming } from "../../support/wyoming-client.ts";
import { findWyomingPackage, runPythonClient } from "../../support/wyoming-python.ts";

const { wheel = "", missing } = await findWyomingPackage();
const sentences = ["The lamp in the hall is on.", "The kitchen door is locked."];
let hearsay: HearsayProcess;
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  hearsay = await startHearsay({ env: { HEARSAY_WYOMING_PORT: String(port) } });
});
afterAll(() => hearsay.close());

async function usageOf(caller: string): Promise<UsageTotals | undefined> {
  const { origin } = new URL(hearsay.baseUrl);
  const headers = { authorization: `Bearer ${hearsay.key}` };
  const response = await fetch(`${origin}/app/usage?by=key`, { headers });
  const { sums } = api.readUsage.response.parse(await response.json());
  return sums.find(({ group }) => group === caller);
}

it("transcribes what it spoke, and records both", async () => {
  const client = await connectWyoming(port);
  client.send("synthesize", { text: sentences.join(" ") });
  const speech = await client.until("audio-stop");
  const format = { rate: 24_000, width: 2, channels: 1 };
  client.send("transcribe", { language: "en" });
  client.send("audio-start", format);
  for (const { payload } of speech)
    if (payload.length > 0) client.send("audio-chunk", format, payload);
  client.send("audio-stop");
  const transcript = (await client.until("transcript-stop")).find(
    ({ type }) => type === "transcript",
  );
  expect(normalizeWords(String(transcript?.data["text"]))).toEqual(
    normalizeWords(sentences.join(" ")),
  );
  const { wyoming } = await hearsay.app("readInfo");
  expect(wyoming).toEqual({ host: "127.0.0.1", port, isForNetwork: false });
  // Records are written within a fifth of a second.
  await waitUntil(async () => (await usageOf("wyoming"))?.requests === 2);
  expect(await usageOf("wyoming")).toMatchObject({ failed: 0, spentUsd: 0 });
});

it("serves with this machine's models only, whatever names are routed to", async () => {
  const provider = await startUpstream(json({ data: [{ id: "tts-1" }] }));
  const { baseUrl } = provider;
  await hearsay.addChannel({ name: "cloud", baseUrl, modelFilter: ["tts-1"] });
  await waitUntil(async () => (await hearsay.models()).includes("cloud/tts-1"));
  await hearsay.app("changeRouting", { aliases: { "tts-1": ["cloud/tts-1"] }, prefer: "listed" });
  const speechRequests = (): number =>
    provider.requests.filter(({ path }) => path.endsWith("/audio/speech")).length;
  const client = await connectWyoming(port);
  client.send("synthesize", { text: "Hello." });
  expect((await client.until("audio-stop")).at(-1)?.type).toBe("audio-stop");
  expect(speechRequests()).toBe(0);
  await hearsay.request("/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Hello." }),
  });
  expect(speechRequests()).toBeGreaterThan(0);
});

it.skipIf(missing !== undefined)(
  `serves the Python package wyoming${missing === undefined ? "" : ` (${missing})`}`,
  async () => {
    const result = await runPythonClient(wheel, port, sentences);
    expect(result).toMatchObject({
      models: ["whisper-1", "moonshine-base", "whisper-base"],
      voices: expect.arrayContaining(["alloy", "af_heart"]),
      streams: [true, true],
      speechEvents: ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"],
      transcriptEvents: ["transcript-start", "transcript-chunk", "transcript", "transcript-stop"],
      error: expect.stringContaining("'nobody' was given"),
    });
    expect(result.speechMs).toBeGreaterThan(2_000);
    expect(normalizeWords(result.transcript)).toEqual(normalizeWords(sentences.join(" ")));
  },
);

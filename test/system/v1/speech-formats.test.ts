// Kokoro through the official client: OpenAI's six names, and every format.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openAiVoices } from "../../../main/contract/openai.ts";
import { type AudioFormat, audioFormats } from "../../../main/contract/speech.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import { readSamples } from "../../support/recordings.ts";
import { openTestFolder } from "../../support/test-data.ts";

const model = "tts-1-hd";
const rateHz = 24_000;

it("speaks with six voices and in six formats", { timeout: 120_000 }, async () => {
  const { client, close } = await startHearsay();
  onTestFinished(close);
  const folder = await openTestFolder();

  async function speak(voice: string, format: AudioFormat): Promise<Buffer> {
    const response = await client.audio.speech.create({
      model,
      voice,
      input: "Yes, today.",
      response_format: format,
    });
    return Buffer.from(await response.arrayBuffer());
  }
  async function durationSec(speech: Buffer, format: AudioFormat): Promise<number> {
    if (format === "pcm") return speech.length / 2 / rateHz;
    const path = join(folder, `speech.${format}`);
    await writeFile(path, speech);
    return readSamples(path, rateHz).length / rateHz;
  }

  const voices = await Promise.all(openAiVoices.map((voice) => speak(voice, "pcm")));
  expect(new Set(voices.map((speech) => speech.toString("base64"))).size).toBe(6);
  const novaSec = await durationSec(voices[openAiVoices.indexOf("nova")] ?? Buffer.of(), "pcm");
  for (const format of audioFormats) {
    const speech = await speak("nova", format);
    // Some encoders add silence.
    expect(Math.abs((await durationSec(speech, format)) - novaSec)).toBeLessThan(0.15);
  }
});

// The shipped models through the official clients: Kokoro with OpenAI's six names and every format, and live
// transcription.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { floatToPcm } from "../../../main/audio/codec/pcm.ts";
import { openAiVoices } from "../../../main/contract/openai.ts";
import { type AudioFormat, audioFormats } from "../../../main/contract/speech.ts";
import { startHearsay } from "../../support/hearsay-process.ts";
import { readSamples } from "../../support/recordings.ts";
import { openRealtime } from "../../support/realtime-client.ts";
import {
  detectFormat,
  normalizeWords,
  openTestFolder,
  synthesizeSamples,
} from "../../support/test-data.ts";

const model = "tts-1-hd";
const rateHz = 24_000;

let app: Awaited<ReturnType<typeof startHearsay>>;
beforeAll(async () => void (app = await startHearsay()), 60_000);
afterAll(() => app.close());

it("speaks with six voices, each in six formats", async () => {
  const { client } = app;
  const folder = await openTestFolder();

  async function speak(voice: string, format: AudioFormat): Promise<Buffer> {
    const response = await client.audio.speech.create({
      model,
      voice,
      input: "Yes.",
      response_format: format,
    });
    return Buffer.from(await response.arrayBuffer());
  }
  async function durationSec(speech: Buffer, format: AudioFormat, name = ""): Promise<number> {
    if (format === "pcm") return speech.length / 2 / rateHz;
    const path = join(folder, `${name}.${format}`);
    await writeFile(path, speech);
    return readSamples(path, rateHz).length / rateHz;
  }

  const spoken = new Set<string>();
  await Promise.all(
    openAiVoices.map(async (voice) => {
      const pcm = await speak(voice, "pcm");
      spoken.add(pcm.toString("base64"));
      for (const format of audioFormats.filter((each) => each !== "pcm")) {
        const speech = await speak(voice, format);
        expect(detectFormat(speech)).toBe(format);
        // Some encoders add silence.
        const addedSec =
          (await durationSec(speech, format, voice)) - (await durationSec(pcm, "pcm"));
        expect(Math.abs(addedSec)).toBeLessThan(0.15);
      }
    }),
  );
  expect(spoken.size).toBe(6);
}, 300_000);

/** Amplitude of three tones at a time. */
const chord = (sec: number): number =>
  [220, 277, 330].reduce((sum, hz) => sum + 0.1 * Math.sin(2 * Math.PI * hz * sec), 0);

it("transcribes two turns of speech live, each as it ends", async () => {
  const { client } = app;
  const { port } = new URL(client.baseURL);
  const { realtime, until, events } = openRealtime(Number(port), client.apiKey ?? "");
  await until("session.created");
  const transcription = { model: "whisper-1", language: "en" };
  realtime.send({
    type: "session.update",
    session: { type: "transcription", audio: { input: { transcription } } },
  });
  const send = (samples: Float32Array): void =>
    realtime.send({
      type: "input_audio_buffer.append",
      audio: Buffer.from(floatToPcm(samples)).toString("base64"),
    });
  const sentences = [
    "The captain knows nearly all of them by name.",
    "By evening the water is quiet again.",
  ];
  // Neither noise nor tones are words.
  const sounds = [() => 0.1 * (2 * Math.random() - 1), chord].map((sound) =>
    Float32Array.from({ length: 2 * rateHz }, (_, at) => sound(at / rateHz)),
  );
  for (const samples of sounds) send(samples);
  for (const sentence of sentences)
    for (const samples of [await synthesizeSamples(sentence), new Float32Array(1.5 * rateHz)])
      send(samples);
  const completed = "conversation.item.input_audio_transcription.completed";
  await until(completed, 2);
  const transcripts = events.filter(({ type }) => type === completed);
  expect(transcripts.map(({ transcript }) => normalizeWords(String(transcript)))).toEqual(
    sentences.map(normalizeWords),
  );
});

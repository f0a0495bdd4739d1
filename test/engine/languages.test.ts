// Every language through a whole app and the official client: language detection, transcription and translation; no
// text for audio without speech.

import { createReadStream, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, createApp } from "../../main/app.ts";
import { joinSamples } from "../../main/audio/codec/pcm.ts";
import { languageName } from "../../main/contract/languages.ts";
import { createNodePlatform } from "../../main/cli/platform.ts";
import { readSettings } from "../../main/storage/settings/settings.ts";
import { transcriptionJob, neverAborted, quietLog, collectTranscript } from "../support/app.ts";
import {
  type Clip,
  type ClipLanguage,
  clipLanguages,
  clipsInLanguage,
  hasSharedAudio,
  readSamples,
  readTurn,
} from "../support/recordings.ts";
import { hum, noise, silence, tone, wavFile } from "../support/test-audio.ts";
import {
  openFolder,
  normalizeWords,
  writeAudioFile,
  synthesizeSamples,
} from "../support/test-data.ts";
import { totalErrors, wordErrors, writtenWords } from "../support/word-error-rate.ts";

const rateHz = 16_000;
/** Sample rate of our own voices. */
const speechRateHz = 24_000;
const folder = await openFolder();
const sentence = "Please send the parcel to Kathryn Smythe in Leicester.";
let app: App;
let client: OpenAI;
let speech: Float32Array;
let english: string;

beforeAll(async () => {
  const settings = readSettings(
    { port: "0", workers: "2", "api-key": "hs-test", "more-formats": "1" },
    {},
    { dataDir: join(folder.path, "data") },
  );
  app = await createApp(createNodePlatform(settings.dataDir), settings, quietLog);
  const { baseUrl, apiKey } = await app.start();
  client = new OpenAI({ baseURL: baseUrl, apiKey });
  speech = await synthesizeSamples(sentence);
  english = await writeAudioFile(join(folder.path, "english.mp3"), speech);
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

const talk = (clips: readonly Clip[]): Float32Array => joinSamples(clips.map(readTurn));

async function saveWav(name: string, samples: Float32Array): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, wavFile([samples], rateHz));
  return path;
}

const transcribeEnglish = (model: string) =>
  client.audio.transcriptions.create({
    file: createReadStream(english),
    model,
    response_format: "verbose_json",
    ...(model === "whisper-base" ? { timestamp_granularities: ["word", "segment"] } : {}),
  });

describe("English", () => {
  let byWhisper: ReturnType<typeof transcribeEnglish> | undefined;
  const transcribedByWhisper = () => (byWhisper ??= transcribeEnglish("whisper-base"));

  it("is transcribed by the requested model", async () => {
    const transcriptions = await Promise.all([
      transcribeEnglish("whisper-1"),
      transcribeEnglish("moonshine-base"),
      transcribedByWhisper(),
    ]);
    for (const { language, text } of transcriptions) {
      expect(language).toBe("english");
      expect(normalizeWords(text)).toContain("please send the parcel to");
    }
    // Each model has its own vocabulary, so the token ids differ.
    const tokens = transcriptions.map(({ segments }) => segments?.[0]?.tokens.join());
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).not.toBe(tokens[1]);
  });

  it("translates to itself", async () => {
    const answers = await Promise.all(
      ["whisper-1", "whisper-base"].map((model) =>
        client.audio.translations.create({ file: createReadStream(english), model }),
      ),
    );
    for (const { text } of answers)
      expect(normalizeWords(text)).toContain("please send the parcel to");
  });

  it("takes the spelling of names from the prompt", async () => {
    const without = await transcribedByWhisper();
    const prompted = await client.audio.transcriptions.create({
      file: createReadStream(english),
      model: "whisper-base",
      prompt: "A letter to Kathryn Smythe. Kathryn Smythe lives in Leicester.",
    });
    expect(without.text).not.toContain("Kathryn Smythe");
    expect(prompted.text).toContain("Kathryn Smythe");
  });

  it("in a short file is transcribed by Whisper in a single pass, with its pauses", async () => {
    const path = await writeAudioFile(
      join(folder.path, "pauses.mp3"),
      joinSamples([
        silence(2, speechRateHz),
        speech,
        silence(1.8, speechRateHz),
        await synthesizeSamples("The river was high after a week of heavy rain."),
        silence(2, speechRateHz),
      ]),
    );
    for (const language of ["en", undefined]) {
      const { segments } = await collectTranscript(
        app.transcribe(
          transcriptionJob(path, {
            model: "whisper-base",
            ...(language === undefined ? {} : { language }),
          }),
          neverAborted(),
        ),
      );
      expect(segments.length).toBeGreaterThan(1);
      expect(segments.map(({ seekFrames }) => seekFrames)).toEqual(segments.map(() => 0));
      expect(segments[0]?.startSec).toBeGreaterThan(1.5);
      expect(normalizeWords(segments[0]?.text ?? "")).toContain("please send the parcel to");
      expect(normalizeWords(segments.at(-1)?.text ?? "")).toContain("the river was high");
    }
  });

  it("transcribed by Whisper has words with timestamps", async () => {
    const { words = [], segments = [] } = await transcribedByWhisper();
    expect(words.length).toBeGreaterThan(0);
    expect(normalizeWords(words.map(({ word }) => word).join(" "))).toBe(
      normalizeWords(segments.map(({ text }) => text).join(" ")),
    );
    expect(words.map(({ start }) => start)).toEqual(
      words.map(({ start }) => start).sort((one, other) => one - other),
    );
  });
});

describe("audio without speech", () => {
  it.each([
    ["silence", silence(10, rateHz)],
    ["a tone", tone(440, 10, rateHz)],
    ["white noise", noise(10, rateHz, 0.1)],
    ["faint noise", noise(10, rateHz, 0.001)],
    ["a minute of hum", hum(60, rateHz)],
  ])("has no text: %s", async (name, samples) => {
    const path = await saveWav(`${name}.wav`, samples);
    for (const model of ["whisper-1", "whisper-base"]) {
      const transcription = await client.audio.transcriptions.create({
        file: createReadStream(path),
        model,
        response_format: "verbose_json",
      });
      expect([transcription.text, transcription.language]).toEqual(["", "english"]);
    }
  });
});

describe.skipIf(!hasSharedAudio)("recordings (need ../shared/audio)", () => {
  // `npm run eval` measures all clips.
  it.each(clipLanguages)("in %s are detected and transcribed", async (language) => {
    const errors = await Promise.all(
      clipsInLanguage(language)
        .slice(0, 2)
        .map(async ({ path, text }) => {
          const transcription = await client.audio.transcriptions.create({
            file: createReadStream(path),
            model: "whisper-1",
            response_format: "verbose_json",
          });
          expect(transcription.language).toBe(languageName(language));
          return wordErrors(text, transcription.text);
        }),
    );
    expect(totalErrors(errors).rate).toBeLessThan(0.4);
  });

  // transcriptions.test.ts checks that every format is made from the same transcript, whatever its language and task.
  it("are returned as srt, transcribed, and as verbose_json, translated", async () => {
    const [clip] = clipsInLanguage("es");
    const file = () => createReadStream(clip?.path ?? "");
    const [transcribed, translated] = await Promise.all([
      client.audio.transcriptions.create({
        file: file(),
        model: "whisper-1",
        response_format: "srt",
      }),
      client.audio.translations.create({
        file: file(),
        model: "whisper-1",
        response_format: "verbose_json",
      }),
    ]);
    expect(transcribed).toMatch(/^1\n00:00:0.*recomienda/s);
    expect(JSON.stringify(translated)).toMatch(/"segments":.*travel/i);
  });

  it("in two languages in one file keep both", async () => {
    const [german, spanish] = [clipsInLanguage("de")[0], clipsInLanguage("es")[1]];
    const samples = joinSamples(
      [german, silence, spanish].flatMap((clip) =>
        clip === silence
          ? [silence(2, rateHz)]
          : [readSamples((clip as { path: string }).path, rateHz)],
      ),
    );
    const { language, segments } = await collectTranscript(
      app.transcribe(transcriptionJob(await saveWav("two.wav", samples)), neverAborted()),
    );
    expect(new Set(segments.map((segment) => segment.language))).toEqual(new Set(["de", "es"]));
    expect(["german", "spanish"]).toContain(language);
  });

  it("in English with another language in between keep both", async () => {
    const samples = joinSamples(
      [clipsInLanguage("en")[0], clipsInLanguage("fr")[0], clipsInLanguage("en")[1]].map((clip) =>
        readSamples(clip?.path ?? "", rateHz),
      ),
    );
    const { language, segments } = await collectTranscript(
      app.transcribe(transcriptionJob(await saveWav("guest.wav", samples)), neverAborted()),
    );
    expect(language).toBe("english");
    expect(segments.filter((segment) => segment.language === "fr").length).toBeGreaterThan(0);
    expect(segments[0]?.language).toBe("en");
  });

  it.each<[string, readonly [ClipLanguage, number][], string, models: readonly string[]]>([
    [
      "German and English",
      [
        ["de", 3],
        ["de", 4],
        ["en", 0],
        ["de", 1],
        ["en", 1],
      ],
      "german",
      ["whisper-1", "whisper-base"],
    ],
    [
      "French, English and German",
      [
        ["fr", 0],
        ["fr", 3],
        ["en", 0],
        ["de", 1],
      ],
      "french",
      ["whisper-1"],
    ],
    [
      "Spanish, Portuguese and English",
      [
        ["es", 0],
        ["es", 2],
        ["pt", 1],
        ["es", 1],
        ["en", 3],
        ["es", 2],
      ],
      "spanish",
      ["whisper-1"],
    ],
  ])(
    "in alternating languages, with hardly a pause, keep every sentence in its language: %s",
    async (name, turns, dominantLanguage, models) => {
      const clips = turns.map(([language, place]) => clipsInLanguage(language)[place] as Clip);
      const path = await saveWav(`${name}.wav`, talk(clips));
      for (const model of models) {
        const { language, segments } = await collectTranscript(
          app.transcribe(transcriptionJob(path, { model }), neverAborted()),
        );
        expect(language).toBe(dominantLanguage);
        for (const spoken of new Set(turns.map((turn) => turn[0]))) {
          const [sentences, transcripts] = [clips, segments].map((all) =>
            all
              .filter((one) => one.language === spoken)
              .map(({ text }) => text)
              .join(" "),
          ) as [string, string];
          // In the wrong language, hardly a word is right. Base has half of the words of some French clips right.
          expect(wordErrors(sentences, transcripts, writtenWords).rate).toBeLessThanOrEqual(0.5);
        }
      }
    },
  );

  it("by one speaker after the other lose no sentence with Whisper", async () => {
    const clips = clipsInLanguage("en");
    const { text } = await collectTranscript(
      app.transcribe(
        transcriptionJob(
          await saveWav(
            "five.wav",
            joinSamples(clips.map(({ path }) => readSamples(path, rateHz))),
          ),
          { model: "whisper-base" },
        ),
        neverAborted(),
      ),
    );
    expect(wordErrors(clips.map((clip) => clip.text).join(" "), text).rate).toBeLessThan(0.25);
  });

  it("are streamed in their own language", async () => {
    const [clip] = clipsInLanguage("de");
    const bytes = await readFile(clip?.path ?? "");
    const stream = await client.audio.transcriptions.create({
      file: new File([bytes], "clip.ogg"),
      model: "whisper-1",
      stream: true,
    });
    let text = "";
    for await (const event of stream)
      if (event.type === "transcript.text.delta") text += event.delta;
    expect(text).toMatch(/Hong ?kong/i);
  });
});

it.skipIf(process.platform !== "linux")(
  "all models together take less than a gigabyte in an engine process, also with a long prompt before many windows (needs Linux)",
  async () => {
    const path = await writeAudioFile(
      join(folder.path, "again.wav"),
      joinSamples(Array.from({ length: 16 }, () => [speech, silence(2, speechRateHz)]).flat()),
    );
    const prompt = "A letter to Kathryn Smythe in Leicester about the parcel. ".repeat(40);
    const { text } = await collectTranscript(
      app.transcribe(
        transcriptionJob(path, { model: "whisper-base", language: "en", prompt }),
        neverAborted(),
      ),
    );
    expect(text.match(/Leicester/g)?.length).toBeGreaterThan(8);
    const pids = app.enginePids();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids)
      expect(
        Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
      ).toBeLessThan(1_000_000);
  },
);

// Kokoro with its weights: every voice speaks, and the app's own recognizer understands what was said.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSpeechToText, loadTextToSpeech } from "../../main/engines/engine-list.ts";
import type { SpeechToText, SynthesisOptions, TextToSpeech } from "../../main/engines/engine.ts";
import { loudnessLufs } from "../../main/engines/tts/loudness.ts";
import { toVoiceInfo } from "../../main/inference/voice-list.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { neverAborted } from "../support/app.ts";
import { medianPitchHz } from "../support/speech-analysis.ts";
import { readSamples } from "../support/recordings.ts";
import { openFolder, writeAudioFile } from "../support/test-data.ts";
import { wordErrors, writtenWords } from "../support/word-error-rate.ts";

const rateHz = 24_000;
const model = shippedModel("kokoro");
const voices = model.voices ?? [];
const folder = await openFolder();
let kokoro: TextToSpeech;
let whisper: SpeechToText;

beforeAll(async () => {
  kokoro = await loadTextToSpeech(model, 1);
  whisper = await loadSpeechToText(shippedModel("whisper-base"), 1);
});
afterAll(async () => {
  await kokoro.close();
  await whisper.close();
  await folder.remove();
});

const speak = (text: string, options: Partial<SynthesisOptions> & { voice: string }) =>
  kokoro.synthesize(text, { speed: 1, quality: "high", ...options }, neverAborted());

/** Share of words that are not recognized as they are written. */
async function errorRate(text: string, speech: Float32Array, language: string): Promise<number> {
  const samples = readSamples(
    await writeAudioFile(join(folder.path, "speech.wav"), speech),
    16_000,
  );
  const durationSec = samples.length / 16_000;
  const [segments = []] = await whisper.transcribe(
    [
      {
        samples,
        offsetSec: 0,
        startSec: 0,
        endSec: durationSec,
        voicedSec: durationSec,
        voiceProb: 0.95,
      },
    ],
    // As in a longer file: alone, it would be transcribed with silence up to 30 s.
    { task: "transcribe", language, temperature: 0, wordTimes: false, isExcerpt: true },
    neverAborted(),
  );
  return wordErrors(text, segments.map((segment) => segment.text).join(" "), writtenWords).rate;
}

/** A sentence of words that Whisper knows. */
const sentences: Readonly<Record<string, string>> = {
  en: "The quick brown fox jumps over the lazy dog.",
  es: "El pequeño zorro cruza el jardín bajo la lluvia.",
  fr: "Le petit renard traverse le jardin sous la pluie.",
  it: "La piccola volpe attraversa il giardino sotto la pioggia.",
  pt: "A pequena raposa atravessa o jardim na chuva.",
};

const spokenSentences = new Map<string, Promise<Float32Array>>();
/** The sentence of a language by its first voice, spoken once. */
function spokenSentence(language: string): Promise<Float32Array> {
  const voice = voices.find((one) => one.language === language)?.id ?? "";
  const speech = spokenSentences.get(language) ?? speak(sentences[language] ?? "", { voice });
  spokenSentences.set(language, speech);
  return speech;
}

describe.each(["en", "es", "fr", "hi", "it", "pt"])("in %s", (language) => {
  const ofLanguage = voices.filter((voice) => voice.language === language);
  const [firstVoice] = ofLanguage;
  const sample = firstVoice === undefined ? "" : toVoiceInfo(model, firstVoice).sample;
  it.each(ofLanguage.map(({ id }) => id))("%s speaks its sample", async (voice) => {
    const speech = await speak(sample, { voice });
    // A pace that people speak at, and the loudness of all voices.
    expect(speech.length / rateHz / sample.length).toBeGreaterThan(0.03);
    expect(speech.length / rateHz / sample.length).toBeLessThan(0.15);
    expect(Math.abs(loudnessLufs(speech, rateHz) - -20)).toBeLessThan(1);
    expect(speech.every((value) => Math.abs(value) < 0.9)).toBe(true);
  });

  it.skipIf(language === "hi")(
    "is recognized as it was written; Whisper writes Hindi in Arabic letters",
    async () => {
      const speech = await spokenSentence(language);
      expect(await errorRate(sentences[language] ?? "", speech, language)).toBeLessThan(0.2);
    },
  );
});

it("sounds as its voices are described", async () => {
  const text = "The ferry leaves at nine in the morning, and nobody on the pier knew why.";
  const [deep, high, slow] = await Promise.all(
    ["am_onyx", "af_jessica", "af_nicole"].map((voice) => speak(text, { voice })),
  );
  expect(medianPitchHz(deep ?? new Float32Array(0), rateHz)).toBeLessThan(115);
  expect(medianPitchHz(high ?? new Float32Array(0), rateHz)).toBeGreaterThan(190);
  expect((slow?.length ?? 0) / (high?.length ?? 0)).toBeGreaterThan(1.3);
});

it("keeps pitch and words at any speed", async () => {
  const text = sentences["en"] ?? "";
  const usual = await spokenSentence("en");
  for (const speed of [0.5, 2]) {
    const other = await speak(text, { voice: voices[0]?.id ?? "", speed });
    expect((other.length * speed) / usual.length).toBeCloseTo(1, 0);
    expect(medianPitchHz(other, rateHz) / medianPitchHz(usual, rateHz)).toBeCloseTo(1, 0);
    expect(await errorRate(text, other, "en")).toBeLessThan(0.3);
  }
});

it("blends voices", async () => {
  const text = "It is said.";
  const pitches: number[] = [];
  for (const voice of ["am_michael", "af_bella+am_michael", "af_bella"])
    pitches.push(medianPitchHz(await speak(text, { voice }), rateHz));
  expect(pitches.toSorted((one, other) => one - other)).toEqual(pitches);
});

it("repeats a take, and varies it with its number", async () => {
  const takes: Float32Array[] = [];
  for (const take of [0, 0, 1]) takes.push(await speak("It is said.", { voice: "af_heart", take }));
  expect(takes[1]).toEqual(takes[0]);
  expect(takes[2]).not.toEqual(takes[0]);
});

it("says the first sentence, then two side by side, as it says each alone", async () => {
  const texts = ["One at a time.", "Two at once.", "Three in a row."];
  const voice = "bm_fable";
  const together = await Promise.all(texts.map((text) => speak(text, { voice })));
  for (const [index, text] of texts.entries())
    expect(together[index]).toEqual(await speak(text, { voice }));
});

it("computes nothing beside the first sentence, however long it is", async () => {
  const texts = ["The captain knows nearly all of them by name.", "Yes."];
  const done: string[] = [];
  const say = async (text: string): Promise<void> => {
    await speak(text, { voice: "af_heart" });
    done.push(text);
  };
  await Promise.all(texts.map(say));
  expect(done).toEqual(texts);
});

it("refuses a voice that it lacks, and says nothing where there is nothing to say", async () => {
  await expect(speak("Hello.", { voice: "af_bella+zoe" })).rejects.toMatchObject({
    param: "voice",
  });
  expect(await speak("…", { voice: "ef_dora" })).toHaveLength(0);
});

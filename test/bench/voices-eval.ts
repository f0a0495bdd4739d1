// Kokoro's voices transcribed by the app's own recognizers: on the sentences of recordings of people, whose errors are
// the goal, and where there are none on sentences of our own; how equally loud the voices are, and how different.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loudnessLufs } from "../../main/engines/tts/loudness.ts";
import {
  type ClipLanguage,
  clipsInLanguage,
  hasSharedAudio,
  readSamples,
  sharedAudioDir,
} from "../support/recordings.ts";
import { ownSentences } from "../support/own-sentences.ts";
import { logProgress, type Results, type Row, skipped } from "../support/report.ts";
import { spokenWords, totalErrors, wordErrors, writtenWords } from "../support/word-error-rate.ts";
import type { InProcessApp } from "./in-process-app.ts";
import { openVoicePrints } from "./voice-prints.ts";

const area = "voices";
const languages: readonly ClipLanguage[] = ["en", "es", "fr", "pt"];
const maxEnglishPercent = 2.5;
const maxLoudnessRangeLu = 1;
const rateHz = 24_000;
/** Voices with less are different people. */
const differentCosine = 0.6;

/** Sentences of recordings are in lower case and without a full stop. */
const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!»।]$/.test(text) ? "" : "."}`;

const isDevanagari = (text: string): boolean => /\p{Script=Devanagari}/u.test(text);

type Sentence = { readonly text: string; readonly language: string };
type Errors = ReturnType<typeof wordErrors>;

/** The goal is one of English: other languages have few voices. */
function differenceRow(language: string, similarities: readonly number[]): Row {
  const different = similarities.filter((cosine) => cosine < differentCosine);
  return {
    area,
    what: `pairs of voices in ${language} whose prints have a cosine under ${differentCosine}`,
    value: (100 * different.length) / similarities.length,
    unit: "%",
    ...(language === "en" ? { goal: { min: 90 } } : {}),
    note: `${similarities.length} pairs`,
  };
}

export async function evaluateVoices(here: InProcessApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped(area, "everything", `no ${sharedAudioDir}`)], raw: {} };
  const rows: Row[] = [];
  const raw: Record<string, unknown> = {};
  const loudness: number[] = [];
  const prints = await openVoicePrints();
  const voicesByLanguage = new Map<string, readonly string[]>();

  /**
   * Sentences that were recognized in another script, such as Hindi in Arabic letters: all their words count as errors.
   */
  let otherScriptCount = 0;

  async function errorsOf(path: string, { text, language }: Sentence): Promise<Errors> {
    const { text: recognized } = await here.transcribe(path, { language });
    if (isDevanagari(text) && !isDevanagari(recognized)) otherScriptCount += 1;
    return wordErrors(text, recognized, language === "en" ? spokenWords : writtenWords);
  }

  /** Every voice of the language says every sentence. */
  async function errorsOfVoices(language: string, sentences: readonly Sentence[]) {
    const voices = here.app
      .voices()
      .filter((voice) => voice.model === "kokoro" && voice.language.startsWith(language))
      .map(({ id }) => id);
    voicesByLanguage.set(language, voices);
    const errors: Record<string, Errors> = {};
    for (const voice of voices) {
      logProgress(`voice ${voice}`);
      const own = [];
      for (const sentence of sentences) {
        const path = join(scratchDir, "voice.wav");
        writeFileSync(path, await here.synthesize(toSentence(sentence.text), voice, "kokoro"));
        loudness.push(loudnessLufs(readSamples(path, rateHz), rateHz));
        own.push(await errorsOf(path, sentence));
        await prints.add(voice, path);
      }
      errors[voice] = totalErrors(own);
    }
    const total = totalErrors(Object.values(errors));
    const row: Row = {
      area,
      what: `word error rate of ${voices.length} voices in ${language}`,
      value: 100 * total.rate,
      unit: "%",
    };
    return { errors, row, wordCount: total.referenceWords };
  }

  for (const language of languages) {
    const clips = clipsInLanguage(language);
    const people = [];
    for (const clip of clips) people.push(await errorsOf(clip.path, clip));
    const ofPeople = 100 * totalErrors(people).rate;
    const { errors, row, wordCount } = await errorsOfVoices(language, clips);
    rows.push({
      ...row,
      goal: { max: language === "en" ? Math.min(ofPeople, maxEnglishPercent) : ofPeople },
      note: `of people ${ofPeople.toFixed(1)} %; ${wordCount} words`,
    });
    raw[language] = { ofPeople, errors };
  }
  for (const [language, texts] of Object.entries(ownSentences)) {
    otherScriptCount = 0;
    const sentences = texts.map((text) => ({ text, language }));
    const { errors, row, wordCount } = await errorsOfVoices(language, sentences);
    const scripts =
      otherScriptCount === 0 ? "" : `; ${otherScriptCount} recognized in another script`;
    rows.push({
      ...row,
      note: `${texts.length} sentences of our own; ${wordCount} words${scripts}`,
    });
    raw[language] = { errors, otherScriptCount };
  }
  rows.push({
    area,
    what: "loudness of all voices' sentences, loudest less quietest",
    value: Math.max(...loudness) - Math.min(...loudness),
    unit: "LU",
    goal: { max: maxLoudnessRangeLu },
    note: `${loudness.length} sentences`,
  });
  const similarities: Record<string, number[]> = {};
  for (const [language, voices] of voicesByLanguage) {
    const ofPairs = prints.similarities(voices);
    if (ofPairs.length === 0) continue;
    similarities[language] = ofPairs;
    rows.push(differenceRow(language, ofPairs));
  }
  await prints.close();
  return { rows, raw: { voices: raw, similarities } };
}

// Transcription and translation accuracy for languages other than English, per clip, compared with faster-whisper on
// the same weights: in float32 and with our own model files, where it is installed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { languageName } from "../../main/contract/languages.ts";
import type { TranscriptSegment } from "../../main/contract/speech.ts";
import { loadSpeechToText } from "../../main/engines/engine-list.ts";
import type { SpeechSegment, SpeechToText } from "../../main/engines/engine.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { referenceTranslations } from "../support/reference-translations.ts";
import {
  type Clip,
  clipLanguages,
  clipsInLanguage,
  hasSharedAudio,
  longRecording,
  readSamples,
  sharedAudioDir,
} from "../support/recordings.ts";
import { wavFile } from "../support/test-audio.ts";
import {
  transcribeWithOracle,
  needsRetry,
  type OracleResult,
  oracleUnavailableReason,
  type OracleWeights,
  joinText,
} from "../support/whisper-oracle.ts";
import {
  totalErrors,
  type WordErrors,
  wordErrors,
  writtenWords,
} from "../support/word-error-rate.ts";
import type { InProcessApp } from "./in-process-app.ts";
import { type SharedWords, sharedContentWords, sumSharedWords } from "./content-words.ts";
import { type Results, type Row, skipped, logProgress } from "../support/report.ts";

/**
 * Word error rates of the bundled model files, measured as in the README of the weights (greedy, uncut, no timestamps):
 * `ten` for the README's ten sentences per language, `here` for the five of them in shared/audio, which are harder in
 * Portuguese.
 */
const publishedPercent = {
  de: { ten: 17.14, here: 15.79 },
  fr: { ten: 31.7, here: 32.3 },
  es: { ten: 11.49, here: 8.4 },
  pt: { ten: 20, here: 22.4 },
} as const;
const maxErrorFactor = 1.05;
const minAgreementPercent = 90;
const minDetectionSec = 5;
const sampleRateHz = 16_000;
/** Minimum length of a file of clips without pauses, so that several clips share a window. */
const longSec = 120;

type Translations = { withoutTimestamps: TranscriptSegment[]; withTimestamps: TranscriptSegment[] };
type EvaluatedClip = {
  clip: Clip;
  durationSec: number;
  given: string;
  detected: string;
  language: string;
  translation: string;
  oracle: Record<OracleWeights, OracleResult> | undefined;
  /** By our Whisper alone, on the same samples as the reference. */ sameSamples:
    | Translations
    | undefined;
};

export async function evaluateLanguages(here: InProcessApp, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped("languages", "everything", `no ${sharedAudioDir}`)], raw: {} };
  const unavailableReason = oracleUnavailableReason();
  const all = await transcribeAll(here, unavailableReason === undefined);
  const nonEnglish = all.filter(({ clip }) => clip.language !== "en");
  const rows: Row[] = [];
  if (unavailableReason !== undefined)
    rows.push(skipped("languages", "faster-whisper on the same clips", unavailableReason));
  for (const [language, published] of Object.entries(publishedPercent))
    rows.push(
      ...errorRows(
        language,
        published,
        all.filter(({ clip }) => clip.language === language),
        unavailableReason === undefined,
      ),
    );
  if (unavailableReason === undefined) {
    const [result, reference] = [
      computeErrors(nonEnglish, ({ given }) => given),
      computeErrors(nonEnglish, ({ oracle }) => joinText(oracle?.float32.plain ?? [])),
    ];
    rows.push({
      area: "transcribe all four",
      what: "… of that of faster-whisper float32, language given",
      value: result.rate / reference.rate,
      unit: "×",
      goal: { max: maxErrorFactor },
      note: `${(100 * result.rate).toFixed(2)} % against ${(100 * reference.rate).toFixed(2)} %`,
    });
  }
  const english = await transcribeEnglish(here, scratchDir);
  rows.push(
    ...english.rows,
    detectionRow(all),
    ...translationRows(nonEnglish, unavailableReason === undefined),
  );
  return {
    rows,
    raw: {
      ...english.raw,
      languages: all.map(({ clip: { name, language: spoken, text }, ...transcription }) => ({
        name,
        spoken,
        text,
        meaning: referenceTranslations[name],
        ...transcription,
      })),
    },
  };
}

const computeErrors = (
  clips: readonly EvaluatedClip[],
  getText: (one: EvaluatedClip) => string,
): WordErrors =>
  totalErrors(clips.map((one) => wordErrors(one.clip.text, getText(one), writtenWords)));

/** The goal is the error rate of the same files on the same clips when decoded as in their README. */
function errorRows(
  language: string,
  published: { ten: number; here: number },
  evaluatedClips: readonly EvaluatedClip[],
  hasOracle: boolean,
): Row[] {
  const area = `transcribe ${languageName(language)}`;
  const oraclePercent = (weights: OracleWeights, mode: "plain" | "timed"): number =>
    100 *
    computeErrors(evaluatedClips, ({ oracle }) => joinText(oracle?.[weights][mode] ?? [])).rate;
  const reference = hasOracle ? oraclePercent("8-bit", "plain") : published.here;
  const float32Note = hasOracle
    ? `; faster-whisper float32: ${oraclePercent("float32", "plain").toFixed(2)} %, with timestamps ${oraclePercent("float32", "timed").toFixed(2)} %`
    : "";
  return (["given", "detected"] as const).flatMap((languageMode): Row[] => {
    const errors = computeErrors(evaluatedClips, (one) => one[languageMode]);
    return [
      {
        area,
        what: `word error rate, language ${languageMode}`,
        value: 100 * errors.rate,
        unit: "%",
        note: `${formatErrors(errors)}; published for ten clips: ${published.ten} %${float32Note}`,
      },
      {
        area,
        what: `… of that of the same files decoded by faster-whisper's loop, language ${languageMode}`,
        value: (100 * errors.rate) / reference,
        unit: "×",
        goal: { max: maxErrorFactor },
        note: `${reference.toFixed(2)} %`,
      },
    ];
  });
}

/** English with Whisper, per clip and in one file: the difference shows what is lost when clips share a window. */
async function transcribeEnglish(
  { transcribe }: InProcessApp,
  scratchDir: string,
): Promise<Results> {
  const area = "transcribe english by whisper-base";
  const clips = clipsInLanguage("en");
  const job = { model: "whisper-base", language: "en" } as const;
  logProgress(`transcribing ${clips.length} English clips and a file of them by Whisper`);
  const clipErrors: WordErrors[] = [];
  for (const { path, text } of clips)
    clipErrors.push(wordErrors(text, (await transcribe(path, job)).text));
  const long = longRecording(clips, longSec);
  const longPath = join(scratchDir, "english-by-whisper.wav");
  writeFileSync(longPath, wavFile([long.samples], sampleRateHz));
  const { text } = await transcribe(longPath, job);
  const [separateErrors, singleFileErrors] = [totalErrors(clipErrors), wordErrors(long.text, text)];
  return {
    rows: [
      {
        area,
        what: `word error rate, ${clips.length} clips`,
        value: 100 * separateErrors.rate,
        unit: "%",
        note: formatErrors(separateErrors),
      },
      {
        area,
        what: `word error rate, ${long.durationSec.toFixed(0)} s of them in one file`,
        value: 100 * singleFileErrors.rate,
        unit: "%",
        note: formatErrors(singleFileErrors),
      },
    ],
    raw: { englishByWhisper: { clips: separateErrors, long: { ...singleFileErrors, text } } },
  };
}

async function transcribeAll(
  { transcribe }: InProcessApp,
  hasOracle: boolean,
): Promise<EvaluatedClip[]> {
  const clips = clipLanguages
    .flatMap(clipsInLanguage)
    .map((clip) => ({ clip, samples: readSamples(clip.path, sampleRateHz) }));
  const oracleRequests = clips.map(({ clip: { language }, samples }) => ({ samples, language }));
  const runOracle = async (weights: OracleWeights): Promise<OracleResult[]> => {
    logProgress(`faster-whisper transcribes ${clips.length} clips, ${weights}`);
    return transcribeWithOracle(oracleRequests, weights);
  };
  const oracleResults = hasOracle
    ? { float32: await runOracle("float32"), "8-bit": await runOracle("8-bit") }
    : undefined;
  const all: EvaluatedClip[] = [];
  for (const [index, { clip, samples }] of clips.entries()) {
    logProgress(`transcribing ${clip.name}`);
    const { path, language } = clip;
    const given = await transcribe(path, { language });
    const detected = await transcribe(path);
    const translation = await transcribe(path, { language, task: "translate" });
    all.push({
      clip,
      durationSec: samples.length / sampleRateHz,
      given: given.text,
      detected: detected.text,
      language: detected.language,
      translation: translation.text,
      oracle: oracleResults && {
        float32: oracleResults.float32[index] as OracleResult,
        "8-bit": oracleResults["8-bit"][index] as OracleResult,
      },
      sameSamples: undefined,
    });
  }
  if (!hasOracle) return all;
  logProgress("translating the same samples");
  const engine = await loadSpeechToText(shippedModel("whisper-base"));
  try {
    for (const [index, one] of all.entries())
      one.sameSamples = await translations(
        engine,
        clips[index]?.samples ?? new Float32Array(0),
        one.clip.language,
      );
  } finally {
    await engine.close();
  }
  return all;
}

async function translations(
  engine: SpeechToText,
  samples: Float32Array,
  language: string,
): Promise<Translations> {
  const endSec = samples.length / sampleRateHz;
  const speechSegment: SpeechSegment = {
    samples,
    offsetSec: 0,
    startSec: 0,
    endSec,
    voicedSec: endSec,
    voiceProb: 1,
  };
  const translate = async (timestamps: boolean): Promise<TranscriptSegment[]> =>
    (
      await engine.transcribe(
        [speechSegment],
        { task: "translate", language, temperature: 0, wordTimes: false, timestamps },
        new AbortController().signal,
      )
    ).flat();
  return { withoutTimestamps: await translate(false), withTimestamps: await translate(true) };
}

function detectionRow(all: readonly EvaluatedClip[]): Row {
  const long = all.filter(({ durationSec }) => durationSec >= minDetectionSec);
  const wrong = long.filter(({ clip, language }) => language !== languageName(clip.language));
  const names = wrong.map(({ clip, language }) => `${clip.name} as ${language}`).join(", ");
  return {
    area: "languages",
    what: `detected rightly, clips of ${minDetectionSec} s or longer`,
    value: (100 * (long.length - wrong.length)) / long.length,
    unit: "%",
    goal: { min: 100 },
    note: names || `${long.length} clips`,
  };
}

function translationRows(nonEnglish: readonly EvaluatedClip[], hasOracle: boolean): Row[] {
  const area = "translate";
  const contentRow = (what: string, getText: (one: EvaluatedClip) => string): Row => {
    const { shared, total } = sumSharedWords(
      nonEnglish.map((one): SharedWords =>
        sharedContentWords(referenceTranslations[one.clip.name] ?? "", getText(one)),
      ),
    );
    return {
      area,
      what,
      value: (100 * shared) / total,
      unit: "%",
      note: `${shared} of ${total} in ${nonEnglish.length} sentences`,
    };
  };
  const rows = [contentRow("content words of the meaning", ({ translation }) => translation)];
  if (!hasOracle) return rows;
  /** Agreement in one mode, with or without timestamps. Results that the reference would sample again are left out. */
  const agreementRow = (
    what: string,
    weights: OracleWeights,
    mode: "translated" | "translatedTimed",
    getText: (one: EvaluatedClip) => string,
  ): Row => {
    const reference = (one: EvaluatedClip): TranscriptSegment[] =>
      one.oracle?.[weights][mode] ?? [];
    const greedy = nonEnglish.filter((one) => !needsRetry(reference(one)));
    const errors = totalErrors(
      greedy.map((one) => wordErrors(joinText(reference(one)), getText(one), writtenWords)),
    );
    return {
      area,
      what: `words agreeing with faster-whisper ${weights}, ${what}`,
      value: 100 * (1 - errors.rate),
      unit: "%",
      goal: { min: minAgreementPercent },
      note: `${formatErrors(errors)}, ${greedy.length} of ${nonEnglish.length} sentences`,
    };
  };
  return [
    ...rows,
    contentRow("… of faster-whisper float32, timestamps", ({ oracle }) =>
      joinText(oracle?.float32.translatedTimed ?? []),
    ),
    contentRow("… of faster-whisper float32, no timestamps", ({ oracle }) =>
      joinText(oracle?.float32.translated ?? []),
    ),
    ...(["float32", "8-bit"] as const).flatMap((weights) => [
      agreementRow(
        "timestamps, through the app",
        weights,
        "translatedTimed",
        ({ translation }) => translation,
      ),
      agreementRow("timestamps, same samples", weights, "translatedTimed", ({ sameSamples }) =>
        joinText(sameSamples?.withTimestamps ?? []),
      ),
      agreementRow("no timestamps, same samples", weights, "translated", ({ sameSamples }) =>
        joinText(sameSamples?.withoutTimestamps ?? []),
      ),
    ]),
  ];
}

const formatErrors = ({ substituted, deleted, inserted, referenceWords }: WordErrors): string =>
  `${substituted} wrong, ${deleted} missing, ${inserted} added of ${referenceWords} words`;

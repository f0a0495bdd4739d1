// How well the app hears and translates other languages than English, clip by clip, beside faster-whisper with the
// same weights, in float32 and by our very files, where that is at hand.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { languageName } from "../../main/contract/languages.ts";
import type { TranscriptSegment } from "../../main/contract/speech.ts";
import { loadSpeechToText } from "../../main/engines/engine-list.ts";
import type { SpeechPiece, SpeechToText } from "../../main/engines/engine.ts";
import { modelBundle } from "../../main/models/store.ts";
import { englishMeanings } from "../support/english-meanings.ts";
import {
  type Clip,
  clipLanguages,
  clipsOf,
  hasSharedAudio,
  longRecording,
  readSamples,
  sharedAudioDir,
} from "../support/recordings.ts";
import { wavFile } from "../support/sounds.ts";
import {
  askOracle,
  isTriedAgain,
  type OracleAnswer,
  oracleMissing,
  type OracleWeights,
  textOf,
} from "../support/whisper-oracle.ts";
import {
  totalErrors,
  type WordErrors,
  wordErrors,
  writtenWords,
} from "../support/word-error-rate.ts";
import type { AppHere } from "./app-here.ts";
import { type SharedWords, sharedContentWords, totalShared } from "./content-words.ts";
import { type Results, type Row, skipped, tell } from "../support/report.ts";

/**
 * Word error rates of the files we ship, measured as the README of the weights does (greedy, uncut, no timestamps): there
 * of ten sentences a language, and of the five that are here, which in Portuguese are the harder ones.
 */
const toldPercent = {
  de: { ten: 17.14, here: 15.79 },
  fr: { ten: 31.7, here: 32.3 },
  es: { ten: 11.49, here: 8.4 },
  pt: { ten: 20, here: 22.4 },
} as const;
const worstFactor = 1.05;
const minAgreeingPercent = 90;
const minToDetectSec = 5;
const sampleRateHz = 16_000;
/** A file of clips without a pause, so that several share a window. */
const longSec = 120;

type Translations = { untimed: TranscriptSegment[]; timed: TranscriptSegment[] };
type Evaluated = {
  clip: Clip;
  durationSec: number;
  given: string;
  detected: string;
  language: string;
  translation: string;
  oracle: Record<OracleWeights, OracleAnswer> | undefined;
  /** By our Whisper alone, of the very samples the reference hears. */ sameSamples:
    | Translations
    | undefined;
};

export async function evaluateLanguages(here: AppHere, scratchDir: string): Promise<Results> {
  if (!hasSharedAudio)
    return { rows: [skipped("languages", "everything", `no ${sharedAudioDir}`)], raw: {} };
  const lacking = oracleMissing();
  const all = await hearAll(here, lacking === undefined);
  const foreign = all.filter(({ clip }) => clip.language !== "en");
  const rows: Row[] = [];
  if (lacking !== undefined)
    rows.push(skipped("languages", "faster-whisper on the same clips", lacking));
  for (const [language, told] of Object.entries(toldPercent))
    rows.push(
      ...errorRows(
        language,
        told,
        all.filter(({ clip }) => clip.language === language),
        lacking === undefined,
      ),
    );
  if (lacking === undefined) {
    const [ours, theirs] = [
      errorsOf(foreign, ({ given }) => given),
      errorsOf(foreign, ({ oracle }) => textOf(oracle?.float32.plain ?? [])),
    ];
    rows.push({
      area: "hear all four",
      what: "… of that of faster-whisper float32, language given",
      value: ours.rate / theirs.rate,
      unit: "×",
      goal: { max: worstFactor },
      note: `${(100 * ours.rate).toFixed(2)} % against ${(100 * theirs.rate).toFixed(2)} %`,
    });
  }
  const english = await hearEnglish(here, scratchDir);
  rows.push(...english.rows, detectionRow(all), ...translationRows(foreign, lacking === undefined));
  return {
    rows,
    raw: {
      ...english.raw,
      languages: all.map(({ clip: { name, language: spoken, text }, ...heard }) => ({
        name,
        spoken,
        text,
        meaning: englishMeanings[name],
        ...heard,
      })),
    },
  };
}

const errorsOf = (among: readonly Evaluated[], textFrom: (one: Evaluated) => string): WordErrors =>
  totalErrors(among.map((one) => wordErrors(one.clip.text, textFrom(one), writtenWords)));

/** Judged by what the same files give for the same clips where they are decoded as their README does. */
function errorRows(
  language: string,
  told: { ten: number; here: number },
  own: readonly Evaluated[],
  withOracle: boolean,
): Row[] {
  const area = `hear ${languageName(language)}`;
  const by = (weights: OracleWeights, mode: "plain" | "timed"): number =>
    100 * errorsOf(own, ({ oracle }) => textOf(oracle?.[weights][mode] ?? [])).rate;
  const reference = withOracle ? by("8-bit", "plain") : told.here;
  const beside = withOracle
    ? `; faster-whisper float32: ${by("float32", "plain").toFixed(2)} %, with timestamps ${by("float32", "timed").toFixed(2)} %`
    : "";
  return (["given", "detected"] as const).flatMap((how): Row[] => {
    const errors = errorsOf(own, (one) => one[how]);
    return [
      {
        area,
        what: `word error rate, language ${how}`,
        value: 100 * errors.rate,
        unit: "%",
        note: `${described(errors)}; told of ten clips: ${told.ten} %${beside}`,
      },
      {
        area,
        what: `… of that of the same files decoded by faster-whisper's loop, language ${how}`,
        value: (100 * errors.rate) / reference,
        unit: "×",
        goal: { max: worstFactor },
        note: `${reference.toFixed(2)} %`,
      },
    ];
  });
}

/** English by Whisper, clip by clip and in one file: what neighbours in a window lose shows in the difference. */
async function hearEnglish({ transcript }: AppHere, scratchDir: string): Promise<Results> {
  const area = "hear english by whisper-base";
  const clips = clipsOf("en");
  const job = { model: "whisper-base", language: "en" } as const;
  tell(`hearing ${clips.length} English clips and a file of them by Whisper`);
  const alone: WordErrors[] = [];
  for (const { path, text } of clips)
    alone.push(wordErrors(text, (await transcript(path, job)).text));
  const long = longRecording(clips, longSec);
  const longPath = join(scratchDir, "english-by-whisper.wav");
  writeFileSync(longPath, wavFile([long.samples], sampleRateHz));
  const { text } = await transcript(longPath, job);
  const [single, together] = [totalErrors(alone), wordErrors(long.text, text)];
  return {
    rows: [
      {
        area,
        what: `word error rate, ${clips.length} clips`,
        value: 100 * single.rate,
        unit: "%",
        note: described(single),
      },
      {
        area,
        what: `word error rate, ${long.durationSec.toFixed(0)} s of them in one file`,
        value: 100 * together.rate,
        unit: "%",
        note: described(together),
      },
    ],
    raw: { englishByWhisper: { clips: single, long: { ...together, text } } },
  };
}

async function hearAll({ transcript }: AppHere, withOracle: boolean): Promise<Evaluated[]> {
  const clips = clipLanguages
    .flatMap(clipsOf)
    .map((clip) => ({ clip, samples: readSamples(clip.path, sampleRateHz) }));
  const questions = clips.map(({ clip: { language }, samples }) => ({ samples, language }));
  const answersBy = async (weights: OracleWeights): Promise<OracleAnswer[]> => {
    tell(`faster-whisper hears ${clips.length} clips, ${weights}`);
    return askOracle(questions, weights);
  };
  const answers = withOracle
    ? { float32: await answersBy("float32"), "8-bit": await answersBy("8-bit") }
    : undefined;
  const all: Evaluated[] = [];
  for (const [index, { clip, samples }] of clips.entries()) {
    tell(`hearing ${clip.name}`);
    const { path, language } = clip;
    const given = await transcript(path, { language });
    const detected = await transcript(path);
    const translation = await transcript(path, { language, task: "translate" });
    all.push({
      clip,
      durationSec: samples.length / sampleRateHz,
      given: given.text,
      detected: detected.text,
      language: detected.language,
      translation: translation.text,
      oracle: answers && {
        float32: answers.float32[index] as OracleAnswer,
        "8-bit": answers["8-bit"][index] as OracleAnswer,
      },
      sameSamples: undefined,
    });
  }
  if (!withOracle) return all;
  tell("translating the same samples");
  const engine = await loadSpeechToText(modelBundle("whisper-base"));
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
  const piece: SpeechPiece = {
    samples,
    offsetSec: 0,
    startSec: 0,
    endSec,
    voicedSec: endSec,
    voiceProb: 1,
  };
  const translate = async (timestamps: boolean): Promise<TranscriptSegment[]> =>
    (
      await engine.run(
        [piece],
        { task: "translate", language, temperature: 0, wordTimes: false, timestamps },
        new AbortController().signal,
      )
    ).flat();
  return { untimed: await translate(false), timed: await translate(true) };
}

function detectionRow(all: readonly Evaluated[]): Row {
  const long = all.filter(({ durationSec }) => durationSec >= minToDetectSec);
  const wrong = long.filter(({ clip, language }) => language !== languageName(clip.language));
  const names = wrong.map(({ clip, language }) => `${clip.name} as ${language}`).join(", ");
  return {
    area: "languages",
    what: `detected rightly, clips of ${minToDetectSec} s or longer`,
    value: (100 * (long.length - wrong.length)) / long.length,
    unit: "%",
    goal: { min: 100 },
    note: names || `${long.length} clips`,
  };
}

function translationRows(foreign: readonly Evaluated[], withOracle: boolean): Row[] {
  const area = "translate";
  const contentRow = (what: string, textFrom: (one: Evaluated) => string): Row => {
    const { shared, of } = totalShared(
      foreign.map((one): SharedWords =>
        sharedContentWords(englishMeanings[one.clip.name] ?? "", textFrom(one)),
      ),
    );
    return {
      area,
      what,
      value: (100 * shared) / of,
      unit: "%",
      note: `${shared} of ${of} in ${foreign.length} sentences`,
    };
  };
  const rows = [contentRow("content words of the meaning", ({ translation }) => translation)];
  if (!withOracle) return rows;
  /** In one mode, timestamps or not; what the reference would sample again compares with nothing. */
  const agreeing = (
    what: string,
    weights: OracleWeights,
    mode: "translated" | "translatedTimed",
    textFrom: (one: Evaluated) => string,
  ): Row => {
    const theirs = (one: Evaluated): TranscriptSegment[] => one.oracle?.[weights][mode] ?? [];
    const greedy = foreign.filter((one) => !isTriedAgain(theirs(one)));
    const errors = totalErrors(
      greedy.map((one) => wordErrors(textOf(theirs(one)), textFrom(one), writtenWords)),
    );
    return {
      area,
      what: `words agreeing with faster-whisper ${weights}, ${what}`,
      value: 100 * (1 - errors.rate),
      unit: "%",
      goal: { min: minAgreeingPercent },
      note: `${described(errors)}, ${greedy.length} of ${foreign.length} sentences`,
    };
  };
  return [
    ...rows,
    contentRow("… of faster-whisper float32, timestamps", ({ oracle }) =>
      textOf(oracle?.float32.translatedTimed ?? []),
    ),
    contentRow("… of faster-whisper float32, no timestamps", ({ oracle }) =>
      textOf(oracle?.float32.translated ?? []),
    ),
    ...(["float32", "8-bit"] as const).flatMap((weights) => [
      agreeing(
        "timestamps, through the app",
        weights,
        "translatedTimed",
        ({ translation }) => translation,
      ),
      agreeing("timestamps, same samples", weights, "translatedTimed", ({ sameSamples }) =>
        textOf(sameSamples?.timed ?? []),
      ),
      agreeing("no timestamps, same samples", weights, "translated", ({ sameSamples }) =>
        textOf(sameSamples?.untimed ?? []),
      ),
    ]),
  ];
}

const described = ({ substituted, deleted, inserted, referenceWords }: WordErrors): string =>
  `${substituted} wrong, ${deleted} missing, ${inserted} added of ${referenceWords} words`;

// How well the app hears and translates other languages than English, clip by clip, beside faster-whisper with the
// same weights in float32 where that is at hand.

import { totalErrors, wordErrors, writtenWords, type WordErrors } from '../support/word-error-rate.ts';
import { type Clip, clipLanguages, clipsOf, hasSharedAudio, readSamples, sharedAudioDir } from '../support/recordings.ts';
import { languageName } from '../../main/contract/languages.ts';
import { englishMeanings } from '../support/english-meanings.ts';
import { askOracle, isTriedAgain, type OracleAnswer, oracleMissing, textOf } from '../support/whisper-oracle.ts';
import type { AppHere } from './app-here.ts';
import { type SharedWords, sharedContentWords, totalShared } from './content-words.ts';
import { type Results, type Row, skipped, tell } from './report.ts';

/** Word error rates told in the README of the weights, over ten sentences a language of which five are here. */
const toldPercent = { de: 17.14, fr: 31.7, es: 11.49, pt: 20 } as const;
const worstFactor = 1.05;
const leastToDetectSec = 5;
const sampleRateHz = 16_000;

type Evaluated = { clip: Clip; durationSec: number; given: string; detected: string; language: string; translation: string; oracle: OracleAnswer | undefined };

export async function evaluateLanguages(here: AppHere): Promise<Results> {
  if (!hasSharedAudio) return { rows: [skipped('languages', 'everything', `no ${sharedAudioDir}`)], raw: {} };
  const lacking = oracleMissing();
  const all = await hearAll(here, lacking === undefined);
  const foreign = all.filter(({ clip }) => clip.language !== 'en');
  const rows: Row[] = [];
  if (lacking !== undefined) rows.push(skipped('languages', 'faster-whisper on the same clips', lacking));
  for (const [language, told] of Object.entries(toldPercent)) {
    const own = all.filter(({ clip }) => clip.language === language);
    const area = `hear ${languageName(language)}`;
    const errorsOf = (textFrom: (one: Evaluated) => string): WordErrors => totalErrors(own.map((one) => wordErrors(one.clip.text, textFrom(one), writtenWords)));
    const row = (what: string, textFrom: (one: Evaluated) => string, more: Partial<Row> = {}): Row => {
      const errors = errorsOf(textFrom);
      return { area, what, value: 100 * errors.rate, unit: '%', note: described(errors), ...more };
    };
    const goal = { most: Number((worstFactor * told).toFixed(2)) };
    rows.push(row('word error rate, language given', ({ given }) => given, { goal }), row('word error rate, language detected', ({ detected }) => detected, { goal }));
    if (lacking === undefined) {
      const plain = ({ oracle }: Evaluated): string => textOf(oracle?.plain ?? []);
      const ratio = errorsOf(({ given }) => given).rate / errorsOf(plain).rate;
      rows.push({ area, what: 'word error rate, of that of faster-whisper float32', value: ratio, unit: '×', goal: { most: worstFactor } });
      rows.push(row('… of faster-whisper float32', plain), row('… of faster-whisper float32, timestamps', ({ oracle }) => textOf(oracle?.timed ?? [])));
    }
  }
  rows.push(detectionRow(all), ...translationRows(foreign, lacking === undefined));
  return { rows, raw: { languages: all.map(({ clip: { name, language: spoken, text }, ...heard }) => ({ name, spoken, text, meaning: englishMeanings[name], ...heard })) } };
}

async function hearAll({ transcript }: AppHere, withOracle: boolean): Promise<Evaluated[]> {
  const clips = clipLanguages.flatMap(clipsOf).map((clip) => ({ clip, samples: readSamples(clip.path, sampleRateHz) }));
  if (withOracle) tell(`faster-whisper hears ${clips.length} clips`);
  const answers = withOracle ? await askOracle(clips.map(({ clip: { language }, samples }) => ({ samples, language }))) : [];
  const all: Evaluated[] = [];
  for (const [index, { clip, samples }] of clips.entries()) {
    tell(`hearing ${clip.name}`);
    const { path, language } = clip;
    const given = await transcript(path, { language });
    const detected = await transcript(path);
    const translation = await transcript(path, { language, task: 'translate' });
    all.push({ clip, durationSec: samples.length / sampleRateHz, given: given.text, detected: detected.text, language: detected.language, translation: translation.text, oracle: answers[index] });
  }
  return all;
}

function detectionRow(all: readonly Evaluated[]): Row {
  const long = all.filter(({ durationSec }) => durationSec >= leastToDetectSec);
  const wrong = long.filter(({ clip, language }) => language !== languageName(clip.language));
  const names = wrong.map(({ clip, language }) => `${clip.name} as ${language}`).join(', ');
  return { area: 'languages', what: `detected rightly, clips of ${leastToDetectSec} s or longer`, value: (100 * (long.length - wrong.length)) / long.length, unit: '%', goal: { least: 100 }, note: names || `${long.length} clips` };
}

function translationRows(foreign: readonly Evaluated[], withOracle: boolean): Row[] {
  const area = 'translate';
  const contentRow = (what: string, textFrom: (one: Evaluated) => string): Row => {
    const { shared, of } = totalShared(foreign.map((one): SharedWords => sharedContentWords(englishMeanings[one.clip.name] ?? '', textFrom(one))));
    return { area, what, value: (100 * shared) / of, unit: '%', note: `${shared} of ${of} in ${foreign.length} sentences` };
  };
  const rows = [contentRow('content words of the meaning', ({ translation }) => translation)];
  if (!withOracle) return rows;
  // What the reference would sample again compares with nothing.
  const greedy = foreign.filter(({ oracle }) => !isTriedAgain(oracle?.translated ?? []));
  const errors = totalErrors(greedy.map(({ oracle, translation }) => wordErrors(textOf(oracle?.translated ?? []), translation, writtenWords)));
  return [
    ...rows,
    contentRow('… of faster-whisper float32', ({ oracle }) => textOf(oracle?.translated ?? [])),
    contentRow('… of faster-whisper float32, timestamps', ({ oracle }) => textOf(oracle?.translatedTimed ?? [])),
    { area, what: 'words agreeing with faster-whisper float32', value: 100 * (1 - errors.rate), unit: '%', goal: { least: 90 }, note: `${described(errors)}, ${greedy.length} of ${foreign.length} sentences` },
  ];
}

const described = ({ substituted, deleted, inserted, referenceWords }: WordErrors): string => `${substituted} wrong, ${deleted} missing, ${inserted} added of ${referenceWords} words`;

// npm run eval: how well the app hears and how well it is understood, as error rates over all of its own models.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelBundle } from '../../main/models/store.ts';
import { type Clip, englishClips, hasSharedAudio, longRecording, sharedAudioDir, telephoneClips } from '../support/english-clips.ts';
import { roundTripText } from '../support/english-texts.ts';
import { wavFile } from '../support/sounds.ts';
import { editDistance, totalErrors, wordErrors } from '../support/word-error-rate.ts';
import { type AppHere, appHere } from './app-here.ts';
import { type Results, type Row, report, skipped, tell } from './report.ts';

const longSec = 600;

const scratchDir = mkdtempSync(join(tmpdir(), 'hearsay-eval-'));
const here = await appHere();
const all: Results = { rows: [], raw: {} };
try {
  for (const evaluate of [evaluateHearing, evaluateRoundTrip, evaluatePhonemes]) {
    const { rows, raw } = await evaluate(here);
    all.rows.push(...rows);
    Object.assign(all.raw, raw);
  }
} finally {
  await here.close();
  rmSync(scratchDir, { recursive: true, force: true });
}
report('Error rates', 'eval-results', all);

async function evaluateHearing({ hear }: AppHere): Promise<Results> {
  const area = 'hear';
  if (!hasSharedAudio) return { rows: [skipped(area, 'word error rate', `no ${sharedAudioDir}`)], raw: {} };
  const [clear, telephone] = [englishClips(), telephoneClips()];
  const heard = new Map<Clip, string>();
  for (const clip of [...clear, ...telephone]) {
    tell(`hearing ${clip.name}`);
    heard.set(clip, await hear(clip.path));
  }
  const row = (what: string, clips: readonly Clip[], most?: number): Row => {
    const { rate, substituted, deleted, inserted, referenceWords } = totalErrors(clips.map((clip) => wordErrors(clip.text, heard.get(clip) ?? '')));
    const note = `${substituted} wrong, ${deleted} missing, ${inserted} added of ${referenceWords} words`;
    return { area, what, value: 100 * rate, unit: '%', ...(most === undefined ? {} : { goal: { most } }), note };
  };
  const long = longRecording([...clear, ...telephone], longSec);
  const longPath = join(scratchDir, 'long.wav');
  writeFileSync(longPath, wavFile([long.samples], 16_000));
  tell(`hearing ${long.durationSec.toFixed(0)} s`);
  const longText = await hear(longPath);
  const errors = wordErrors(long.text, longText);
  const note = `${errors.substituted} wrong, ${errors.deleted} missing, ${errors.inserted} added of ${errors.referenceWords} words`;
  return {
    rows: [
      row(`word error rate, ${clear.length} clips`, clear, 8),
      ...(telephone.length === 0 ? [] : [row('word error rate, telephone', telephone)]),
      { area, what: 'word error rate, ten minutes of all clips', value: 100 * errors.rate, unit: '%', goal: { most: 10 }, note },
    ],
    raw: { heard: [...heard].map(([{ name, text }, said]) => ({ name, text, heard: said, ...wordErrors(text, said) })), long: { ...long, samples: undefined, heard: longText, ...errors } },
  };
}

/** Each voice reads a text, which is heard again: whether one understands it. */
async function evaluateRoundTrip({ app, say, hear }: AppHere): Promise<Results> {
  const rows: Row[] = [];
  const raw: Record<string, unknown> = {};
  for (const { id } of app.voices()) {
    tell(`voice ${id}`);
    const path = join(scratchDir, `${id}.wav`);
    writeFileSync(path, await say(roundTripText, id));
    const heard = await hear(path);
    const errors = wordErrors(roundTripText, heard);
    rows.push({ area: 'round trip', what: `word error rate of ${id}`, value: 100 * errors.rate, unit: '%', goal: { most: id === 'nova' ? 4 : 8 }, note: `${errors.substituted} wrong, ${errors.deleted} missing, ${errors.inserted} added of ${errors.referenceWords} words` });
    raw[id] = { heard, ...errors };
  }
  return { rows, raw: { roundTrip: raw } };
}

/** The front end's phonemes against the reference's, character by character without spaces. */
async function evaluatePhonemes({ app }: AppHere): Promise<Results> {
  tell('phonemes');
  const lines = readFileSync(join(modelBundle('hibari').dir, 'phonemes-reference.tsv'), 'utf8').split('\n').filter((line) => line !== '');
  const reference = lines.map((line) => line.split('\t') as [string, string]);
  const read = await app.phonemes(reference.map(([text]) => text), new AbortController().signal);
  let errors = 0;
  let length = 0;
  const differing: object[] = [];
  for (const [index, [text, phonemes]] of reference.entries()) {
    const wanted = [...phonemes.replaceAll(' ', '')];
    const distance = editDistance(wanted, [...(read[index] ?? '').replaceAll(' ', '')]);
    if (distance > 0) differing.push({ text, wanted: phonemes, read: read[index], distance });
    errors += distance;
    length += wanted.length;
  }
  const note = `${errors} of ${length} in ${reference.length} sentences`;
  return { rows: [{ area: 'front end', what: 'phoneme error rate', value: (100 * errors) / length, unit: '%', goal: { most: 1.5 }, note }], raw: { phonemes: { errors, length, differing } } };
}

// Every language through the whole app, asked by the official client: what is spoken is found out, heard, and
// translated; what is no speech stays silent.

import { createReadStream, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../main/app.ts';
import { joinSamples } from '../../main/audio/pcm.ts';
import { languageName } from '../../main/contract/languages.ts';
import { transcriptFormats } from '../../main/contract/openai.ts';
import { createHeadlessPlatform } from '../../main/headless/platform.ts';
import { readSettings } from '../../main/settings/settings.ts';
import { hearingJob, never, quietLog, transcriptOf } from '../support/app.ts';
import { clipLanguages, clipsOf, hasSharedAudio, readSamples } from '../support/recordings.ts';
import { hum, noise, silence, tone, wavFile } from '../support/sounds.ts';
import { openFolder, plainWords, soundFile, spokenSamples } from '../support/test-data.ts';
import { totalErrors, wordErrors } from '../support/word-error-rate.ts';

const rateHz = 16_000;
const folder = await openFolder();
const said = 'Please send the parcel to Kathryn Smythe in Leicester.';
let app: App;
let client: OpenAI;
let english: string;

beforeAll(async () => {
  const settings = readSettings({ port: '0', workers: '2', 'api-key': 'hs-test', 'more-formats': '1' }, {}, { dataDir: join(folder.path, 'data'), cores: 2 });
  app = await createApp(createHeadlessPlatform(settings.dataDir), settings, quietLog);
  const { baseUrl, apiKey } = await app.start();
  client = new OpenAI({ baseURL: baseUrl, apiKey });
  english = await soundFile(join(folder.path, 'english.mp3'), await spokenSamples(said));
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

async function kept(name: string, samples: Float32Array): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, wavFile([samples], rateHz));
  return path;
}

describe('English', () => {
  it('is heard by the model that was asked for', async () => {
    const models = ['whisper-1', 'moonshine-base', 'whisper-base'];
    const heard = await Promise.all(models.map((model) => client.audio.transcriptions.create({ file: createReadStream(english), model, response_format: 'verbose_json' })));
    for (const { language, text } of heard) {
      expect(language).toBe('english');
      expect(plainWords(text)).toContain('please send the parcel to');
    }
    // Each has a vocabulary of its own.
    const tokens = heard.map(({ segments }) => segments?.[0]?.tokens.join());
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).not.toBe(tokens[1]);
  });

  it('is its own translation', async () => {
    const answers = await Promise.all(['whisper-1', 'whisper-base'].map((model) => client.audio.translations.create({ file: createReadStream(english), model })));
    for (const { text } of answers) expect(plainWords(text)).toContain('please send the parcel to');
  });

  it('has the spelling of names that the prompt gives', async () => {
    const body = { model: 'whisper-base', prompt: 'A letter to Kathryn Smythe. Kathryn Smythe lives in Leicester.' };
    const [without, prompted] = await Promise.all([{ model: 'whisper-base' }, body].map((fields) => client.audio.transcriptions.create({ file: createReadStream(english), ...fields })));
    expect(without?.text).not.toContain('Kathryn Smythe');
    expect(prompted?.text).toContain('Kathryn Smythe');
  });

  it('by Whisper has words with times', async () => {
    const { words = [], segments = [] } = await client.audio.transcriptions.create({ file: createReadStream(english), model: 'whisper-base', response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] });
    expect(plainWords(words.map(({ word }) => word).join(' '))).toBe(plainWords(segments.map(({ text }) => text).join(' ')));
    expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).sort((one, other) => one - other));
  });
});

describe('what is no speech', () => {
  it.each([
    ['silence', silence(10, rateHz)],
    ['a tone', tone(440, 10, rateHz)],
    ['white noise', noise(10, rateHz, 0.1)],
    ['faint noise', noise(10, rateHz, 0.001)],
    ['a minute of hum', hum(60, rateHz)],
  ])('has no text: %s', async (name, samples) => {
    const path = await kept(`${name}.wav`, samples);
    for (const model of ['whisper-1', 'whisper-base']) expect((await client.audio.transcriptions.create({ file: createReadStream(path), model })).text).toBe('');
  });
});

describe.skipIf(!hasSharedAudio)('recordings (need ../shared/audio)', () => {
  it.each(clipLanguages)('in %s are told apart and heard', async (language) => {
    const errors = [];
    for (const { path, text } of clipsOf(language)) {
      const heard = await client.audio.transcriptions.create({ file: createReadStream(path), model: 'whisper-1', response_format: 'verbose_json' });
      expect(heard.language).toBe(languageName(language));
      errors.push(wordErrors(text, heard.text));
    }
    expect(totalErrors(errors).rate).toBeLessThan(0.4);
  });

  it.each(transcriptFormats)('come as %s', async (format) => {
    const [clip] = clipsOf('es');
    const file = () => createReadStream(clip?.path ?? '');
    const heard = JSON.stringify(await client.audio.transcriptions.create({ file: file(), model: 'whisper-1', response_format: format }));
    expect(heard).toContain('recomienda');
    const translated = JSON.stringify(await client.audio.translations.create({ file: file(), model: 'whisper-1', response_format: format as 'json' }));
    expect(translated).toMatch(/travel/i);
  });

  it('of two languages in one file keep both', async () => {
    const [german, spanish] = [clipsOf('de')[0], clipsOf('es')[1]];
    const samples = joinSamples([german, silence, spanish].flatMap((clip) => (clip === silence ? [silence(2, rateHz)] : [readSamples((clip as { path: string }).path, rateHz)])));
    const { language, segments } = await transcriptOf(app.transcribe(hearingJob(await kept('two.wav', samples)), never()));
    expect(new Set(segments.map((segment) => segment.language))).toEqual(new Set(['de', 'es']));
    expect(['german', 'spanish']).toContain(language);
  });

  it('of English with another language in it keep both', async () => {
    const samples = joinSamples([clipsOf('en')[0], clipsOf('fr')[0], clipsOf('en')[1]].map((clip) => readSamples(clip?.path ?? '', rateHz)));
    const { language, segments } = await transcriptOf(app.transcribe(hearingJob(await kept('guest.wav', samples)), never()));
    expect(language).toBe('english');
    expect(segments.filter((segment) => segment.language === 'fr').length).toBeGreaterThan(0);
    expect(segments[0]?.language).toBe('en');
  });

  it('stream in the language they are in', async () => {
    const [clip] = clipsOf('de');
    const bytes = await readFile(clip?.path ?? '');
    const stream = await client.audio.transcriptions.create({ file: new File([bytes], 'clip.ogg'), model: 'whisper-1', stream: true });
    let text = '';
    for await (const event of stream) if (event.type === 'transcript.text.delta') text += event.delta;
    expect(text).toContain('Hongkong');
  });
});

it.skipIf(process.platform !== 'linux')('all models together take an engine process less than a gigabyte (needs Linux)', () => {
  const pids = app.enginePids();
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])).toBeLessThan(1_000_000);
});

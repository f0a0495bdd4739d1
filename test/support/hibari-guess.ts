// The letters → phonemes net on onnxruntime-node, for tests of the English front end, with the data it needs.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type EnglishFrontEnd, createEnglishFrontEnd } from '../../main/text/english/front-end.ts';

const folder = new URL('../../main/engines/weights/hibari/', import.meta.url);

const longestWord = 24;

export async function hibariGuess(): Promise<(words: readonly string[]) => Promise<string[]>> {
  const session = await InferenceSession.create(readFileSync(new URL('oov.onnx', folder)));
  const alphabet = JSON.parse(readFileSync(new URL('oov.json', folder), 'utf8')) as { in: string[]; out: string[] };
  const ids = new Map(alphabet.in.map((letter, index) => [letter, index + 1]));

  const one = async (word: string): Promise<string> => {
    const letters = [...word].map((letter) => ids.get(letter)).filter((id) => id !== undefined).slice(0, longestWord);
    if (letters.length === 0) return '';
    const { ids: output } = await session.run({ chars: new Tensor('int64', BigInt64Array.from(letters.map(BigInt)), [1, letters.length]) });
    let phonemes = '';
    let last = 0;
    for (const value of (output?.data ?? []) as BigInt64Array) {
      const id = Number(value);
      if (id !== last && id !== 0) phonemes += alphabet.out[id - 1] ?? '';
      last = id;
    }
    return phonemes;
  };

  return async (words) => {
    const guesses: string[] = [];
    for (const word of words) guesses.push(await one(word));
    return guesses;
  };
}

export function hibariData(name: string): unknown {
  return JSON.parse(gunzipSync(readFileSync(new URL(`${name}.json.gz`, folder))).toString('utf8'));
}

type Data = Parameters<typeof createEnglishFrontEnd>[0];

/** The front end as the engine builds it. */
export async function hibariFrontEnd(): Promise<EnglishFrontEnd> {
  return createEnglishFrontEnd({
    gold: hibariData('lexicon_us_gold') as Data['gold'],
    silver: hibariData('lexicon_us_silver') as Data['silver'],
    tagger: hibariData('tagger') as Data['tagger'],
    guess: await hibariGuess(),
  });
}

/** Sentences with the reference's phonemes. */
export function hibariReference(): { text: string; phonemes: string }[] {
  const lines = readFileSync(new URL('phonemes-reference.tsv', folder), 'utf8').split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [text = '', phonemes = ''] = line.split('\t');
    return { text, phonemes };
  });
}

// The Hibari voice: English text → 24 kHz speech in six voices. Puts the steps together: phonemes, acoustic model,
// pace, waveform, delivery. Weights come verified through `read`; cutting long texts into sentences is the caller's.

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../../../contract/errors.ts';
import { createEnglishFrontEnd } from '../../../text/english/front-end.ts';
import type { SpeakingOptions, TextToSpeech } from '../../engine.ts';
import { createAcousticModel } from './acoustic-model.ts';
import { fadeEnds, levelBySentence, levelByVoice, pauseAfterSec } from './delivery.ts';
import { createGuesser } from './guess.ts';
import { seedOf } from './noise.ts';
import { atPace, spokenRange } from './pace.ts';
import { phonemePieces } from './phoneme-ids.ts';
import { sampleRateHz } from './pulse-train.ts';
import { spectralShape, type Voice, voiceById, voicedPitch, voices } from './voices.ts';
import { createWaveform } from './waveform.ts';

export type HibariDeps = {
  /** The verified content of one of the model's files, by its name. */
  read(fileName: string): Promise<Uint8Array>;
};

/** The files `read` is asked for. */
export const hibariFiles = [
  'hibari.onnx',
  'oov.onnx',
  'oov.json',
  'vocab.json',
  'lexicon_us_gold.json.gz',
  'lexicon_us_silver.json.gz',
  'tagger.json.gz',
] as const;

/** Frames of 12.5 ms kept before the first sound and after the last, at speed 1, and how they are faded. */
const marginBefore = 2;
const marginAfter = 5;
const fadeInSec = 0.01;
const fadeOutSec = 0.03;

/**
 * Loads the models (about 120 MB, one thread). `run` throws `unsupported_value` for an unknown voice. A text that ends
 * with a line break ends a paragraph and is followed by a longer pause; pauses follow the speed.
 */
export async function createHibari({ read }: HibariDeps): Promise<TextToSpeech> {
  const json = async (name: (typeof hibariFiles)[number]): Promise<never> => {
    const bytes = await read(name);
    const text = name.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes;
    // Verified by checksum, so its shape is known.
    return JSON.parse(new TextDecoder().decode(text)) as never;
  };
  const [onnx, oovOnnx, alphabet, vocabulary, gold, silver, tagger] = await Promise.all([
    read('hibari.onnx'),
    read('oov.onnx'),
    json('oov.json'),
    json('vocab.json'),
    json('lexicon_us_gold.json.gz'),
    json('lexicon_us_silver.json.gz'),
    json('tagger.json.gz'),
  ]);
  const model = await createAcousticModel(onnx);
  const guesser = await createGuesser(oovOnnx, alphabet);
  const frontEnd = createEnglishFrontEnd({ gold, silver, tagger, guess: guesser.guess });
  const vocab = new Map<string, number>(Object.entries(vocabulary));
  const waveform = createWaveform();

  async function speakPiece(ids: readonly number[], voice: Voice, options: SpeakingOptions, seed: number): Promise<Float32Array> {
    const modelled = await model.run(ids, 1);
    const range = spokenRange(modelled, marginBefore, marginAfter);
    if (range.from === range.to) return new Float32Array(0);
    const frames = atPace(modelled, range, options.speed * voice.pace);
    const samples = waveform.render(frames, voicedPitch(frames.f0Hz, voice), spectralShape(voice), seed);
    (options.quality === 'high' ? levelBySentence : levelByVoice)(samples, voice.gainDb);
    fadeEnds(samples, fadeInSec / Math.max(1, options.speed), fadeOutSec / Math.max(1, options.speed));
    return samples;
  }

  return {
    sampleRateHz,
    phonemes: (text) => frontEnd.phonemes(text),

    async run(text, options, signal) {
      const voice = voiceById(options.voice);
      if (voice === undefined) {
        const known = voices.map(({ id }) => id).join(', ');
        throw new AppError('unsupported_value', `Voice "${options.voice}" is not one of ${known}.`, { param: 'voice' });
      }
      signal.throwIfAborted();
      const phonemes = await frontEnd.phonemes(text);
      const pieces = phonemePieces(phonemes, vocab);
      const seed = seedOf(`${voice.id} ${phonemes}`);
      const parts: Float32Array[] = [];
      for (const [index, { ids, last }] of pieces.entries()) {
        signal.throwIfAborted();
        parts.push(await speakPiece(ids, voice, options, seed + index));
        const endsParagraph = index === pieces.length - 1 && text.endsWith('\n');
        parts.push(new Float32Array(Math.round((pauseAfterSec(last, endsParagraph) / options.speed) * sampleRateHz)));
      }
      signal.throwIfAborted();
      return joined(parts);
    },

    async close() {
      await model.close();
      await guesser.close();
    },
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

// The Hibari voice: English text → 24 kHz speech in six voices. Puts the steps together: phonemes, acoustic model,
// pace, waveform, delivery. Weights come verified through `read`; cutting long texts into sentences is the caller's.

import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "../../../contract/errors.ts";
import { joinSamples } from "../../../audio/codec/pcm.ts";
import { stretchTime } from "../../../audio/dsp/time-stretch.ts";
import { createEnglishFrontEnd } from "../../../text/english/front-end.ts";
import type { LexiconEntry } from "../../../text/english/lexicon.ts";
import { readTaggerData } from "../../../text/english/tagger.ts";
import { createJsonTable } from "../../../text/json-table.ts";
import type { SpeakingOptions, TextToSpeech } from "../../engine.ts";
import { createAcousticModel } from "./acoustic-model.ts";
import { deliver, pauseAfterSec } from "./delivery.ts";
import { createGuesser, type GuessAlphabet } from "./guess.ts";
import { steadyHarmonics } from "./harmonic-envelope.ts";
import { createRandom, seedOf } from "./noise.ts";
import { atPace, spokenRange } from "./pace.ts";
import { phonemePieces } from "./phoneme-ids.ts";
import { sampleRateHz } from "./pulse-train.ts";
import { mannerOf, withMelody } from "./take.ts";
import {
  movesHarmonics,
  spectralShape,
  type Voice,
  voiceById,
  voicedPitch,
  voices,
} from "./voices.ts";
import { createWaveform } from "./waveform.ts";

export type HibariDeps = {
  /** The verified content of one of the model's files, by its name. */
  read(fileName: string): Promise<Uint8Array>;
};

/** Frames of 12.5 ms kept before the first sound and after the last. */
const marginBefore = 2;
const marginAfter = 5;

/**
 * Loads the models (the process then holds about 400 MB). `run` throws `unsupported_value` for an unknown voice.
 * Pauses follow the speed.
 */
export async function createHibari({ read }: HibariDeps): Promise<TextToSpeech> {
  // Verified by checksum, so their shapes are known.
  const textOf = async (name: string): Promise<string> => {
    const bytes = await read(name);
    return new TextDecoder().decode(name.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes);
  };
  const [gold, silver, tagger] = await Promise.all([
    textOf("lexicon_us_gold.json.gz"),
    textOf("lexicon_us_silver.json.gz"),
    textOf("tagger.json.gz"),
  ]);
  const vocab = new Map(
    Object.entries(JSON.parse(await textOf("vocab.json")) as Record<string, number>),
  );
  const model = await createAcousticModel(await read("hibari.onnx"));
  const guesser = await createGuesser(
    await read("oov.onnx"),
    JSON.parse(await textOf("oov.json")) as GuessAlphabet,
  );
  const frontEnd = createEnglishFrontEnd({
    gold: createJsonTable<LexiconEntry>(gold),
    silver: createJsonTable<LexiconEntry>(silver),
    tagger: readTaggerData(tagger),
    guess: guesser.guess,
  });
  const waveform = createWaveform();

  async function speakPiece(
    ids: readonly number[],
    pauseSec: number,
    voice: Voice,
    options: SpeakingOptions,
    seed: number,
  ): Promise<Float32Array> {
    const modelled = await model.run(ids);
    const range = spokenRange(modelled, marginBefore, marginAfter);
    if (range.from === range.to) return new Float32Array(0);
    const pace = options.speed * voice.pace;
    const { take = 0 } = options;
    const manner = take === 0 ? undefined : mannerOf(take, createRandom(seed));
    const frames = atPace(
      modelled,
      range,
      Math.min(pace, 1) * (manner?.pace ?? 1),
      createRandom(seed),
      manner?.placeAt,
    );
    if (movesHarmonics(voice) || manner !== undefined) steadyHarmonics(frames);
    const pitch = voicedPitch(frames.f0Hz, {
      ...voice,
      liveliness: voice.liveliness * (manner?.liveliness ?? 1),
    });
    const rendered = waveform.render(
      frames,
      manner === undefined ? pitch : withMelody(pitch, manner),
      spectralShape(voice),
      seed,
    );
    const speech = stretchTime(rendered, Math.max(pace, 1), sampleRateHz);
    return deliver(speech, voice.gainDb, pauseSec, options);
  }

  return {
    sampleRateHz,
    phonemes: (text) => frontEnd.phonemes(text),

    async run(text, options, signal) {
      const voice = voiceById(options.voice);
      if (voice === undefined) {
        const known = voices.map(({ id }) => id).join(", ");
        throw new AppError(
          "unsupported_value",
          `Voice "${options.voice}" is not one of ${known}.`,
          { param: "voice" },
        );
      }
      signal.throwIfAborted();
      const phonemes = await frontEnd.phonemes(text);
      const pieces = phonemePieces(phonemes, vocab);
      const { take = 0 } = options;
      const seed = seedOf(`${voice.id} ${phonemes}${take === 0 ? "" : ` ${take}`}`);
      const parts: Float32Array[] = [];
      for (const [index, { ids, last }] of pieces.entries()) {
        signal.throwIfAborted();
        const endsParagraph = index === pieces.length - 1 && options.paragraphEnd === true;
        parts.push(
          await speakPiece(ids, pauseAfterSec(last, endsParagraph), voice, options, seed + index),
        );
      }
      signal.throwIfAborted();
      return joinSamples(parts);
    },

    async close() {
      await model.close();
      await guesser.close();
    },
  };
}

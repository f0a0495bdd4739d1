// The Hibari engine: English text → 24 kHz speech in six voices. Combines phonemes, acoustic model, pace, waveform and
// post-processing. `read` verifies the weights; the caller splits long texts into sentences.

import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "../../../contract/errors.ts";
import { joinSamples } from "../../../audio/codec/pcm.ts";
import { stretchTime } from "../../../audio/dsp/time-stretch.ts";
import { createEnglishFrontEnd, type EnglishFrontEnd } from "../../../text/english/front-end.ts";
import type { LexiconEntry } from "../../../text/english/lexicon.ts";
import { readTaggerData } from "../../../text/english/tagger.ts";
import { createJsonTable } from "../../../text/json-table.ts";
import type { SynthesisOptions, TextToSpeech } from "../../engine.ts";
import { createAcousticModel } from "./acoustic-model.ts";
import { finishSpeech, pauseAfterSec } from "./post-processing.ts";
import { createG2p, type G2p, type G2pAlphabet } from "./g2p.ts";
import { limitHarmonicEnvelope } from "./harmonic-envelope.ts";
import { createRandom, hashSeed } from "./noise.ts";
import { changePace, findSpeechRange } from "./pace.ts";
import { splitPhonemes } from "./phoneme-ids.ts";
import { sampleRateHz } from "./pulse-train.ts";
import { createTakeVariation, applyMelody } from "./take-variation.ts";
import {
  shiftsHarmonics,
  spectralShape,
  type Voice,
  findVoice,
  applyVoicePitch,
  voices,
} from "./voices.ts";
import { createWaveform } from "./waveform.ts";

export type HibariDeps = {
  /** Verified content of one of the model's files. */
  read(fileName: string): Promise<Uint8Array>;
};

/** Frames of 12.5 ms kept before and after the audible part. */
const marginFramesBefore = 2;
const marginFramesAfter = 5;

/**
 * Loads the models (the process then uses about 400 MB). `synthesize` throws `unsupported_value` for an unknown voice.
 * Pauses depend on the speed.
 */
export async function createHibari({ read }: HibariDeps): Promise<TextToSpeech> {
  // No schema checks: the checksums have verified the contents.
  const vocab = new Map(
    Object.entries(JSON.parse(await readText(read, "vocab.json")) as Record<string, number>),
  );
  const model = await createAcousticModel(await read("hibari.onnx"));
  const g2p = await createG2p(
    await read("oov.onnx"),
    JSON.parse(await readText(read, "oov.json")) as G2pAlphabet,
  );
  const frontEnd = await loadFrontEnd(read, g2p);
  const waveform = createWaveform();

  async function synthesizeChunk(
    ids: readonly number[],
    pauseSec: number,
    voice: Voice,
    options: SynthesisOptions,
    seed: number,
  ): Promise<Float32Array> {
    const modelFrames = await model.run(ids);
    const speechRange = findSpeechRange(modelFrames, marginFramesBefore, marginFramesAfter);
    if (speechRange.from === speechRange.to) return new Float32Array(0);
    const pace = options.speed * voice.pace;
    const { take = 0 } = options;
    const variation = take === 0 ? undefined : createTakeVariation(take, createRandom(seed));
    const frames = changePace(
      modelFrames,
      speechRange,
      Math.min(pace, 1) * (variation?.pace ?? 1),
      createRandom(seed),
      variation?.sourcePositionAt,
    );
    if (shiftsHarmonics(voice) || variation !== undefined) limitHarmonicEnvelope(frames);
    const pitch = applyVoicePitch(frames.f0Hz, {
      ...voice,
      pitchRange: voice.pitchRange * (variation?.pitchRange ?? 1),
    });
    const samples = waveform.render(
      frames,
      variation === undefined ? pitch : applyMelody(pitch, variation),
      spectralShape(voice),
      seed,
    );
    const speech = stretchTime(samples, Math.max(pace, 1), sampleRateHz);
    return finishSpeech(speech, voice.gainDb, pauseSec, options);
  }

  return {
    sampleRateHz,
    phonemes: (text) => frontEnd.phonemes(text),

    async synthesize(text, options, signal) {
      const voice = findVoice(options.voice);
      if (voice === undefined) {
        const voiceIds = voices.map(({ id }) => id).join(", ");
        throw new AppError(
          "voice.notInEngine",
          { voice: options.voice, voices: voiceIds },
          { param: "voice" },
        );
      }
      signal.throwIfAborted();
      const phonemes = await frontEnd.phonemes(text);
      const chunks = splitPhonemes(phonemes, vocab);
      const { take = 0 } = options;
      const seed = hashSeed(`${voice.id} ${phonemes}${take === 0 ? "" : ` ${take}`}`);
      const parts: Float32Array[] = [];
      for (const [index, { ids, lastSymbol }] of chunks.entries()) {
        signal.throwIfAborted();
        const endsParagraph = index === chunks.length - 1 && options.paragraphEnd === true;
        parts.push(
          await synthesizeChunk(
            ids,
            pauseAfterSec(lastSymbol, endsParagraph),
            voice,
            options,
            seed + index,
          ),
        );
      }
      signal.throwIfAborted();
      return joinSamples(parts);
    },

    async close() {
      await model.close();
      await g2p.close();
    },
  };
}

async function loadFrontEnd(read: HibariDeps["read"], g2p: G2p): Promise<EnglishFrontEnd> {
  const [gold, silver, tagger] = await Promise.all([
    readText(read, "lexicon_us_gold.json.gz"),
    readText(read, "lexicon_us_silver.json.gz"),
    readText(read, "tagger.json.gz"),
  ]);
  return createEnglishFrontEnd({
    gold: createJsonTable<LexiconEntry>(gold),
    silver: createJsonTable<LexiconEntry>(silver),
    tagger: readTaggerData(tagger),
    predictPhonemes: g2p.predict,
  });
}

async function readText(read: HibariDeps["read"], name: string): Promise<string> {
  const bytes = await read(name);
  return new TextDecoder().decode(name.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes);
}

// The Hibari engine: English text → 24 kHz speech in six voices. Combines phonemes, acoustic model, pace, waveform and
// post-processing. `read` verifies the weights; the caller splits long texts into sentences.

import { AppError } from "../../../contract/errors.ts";
import { joinSamples } from "../../../audio/codec/pcm.ts";
import { stretchTime } from "../../../audio/dsp/time-stretch.ts";
import {
  type SynthesisOptions,
  type TextToSpeech,
  ttsSampleRateHz as sampleRateHz,
} from "../../engine.ts";
import { loadEnglishFrontEnd, type ReadFile, readPhonemeIds } from "../english.ts";
import { createAcousticModel } from "./acoustic-model.ts";
import { finishSpeech, measuredGain, pauseAfterSec } from "../post-processing.ts";
import { limitHarmonicEnvelope } from "./harmonic-envelope.ts";
import { createRandom, hashSeed } from "./noise.ts";
import { changePace, findSpeechRange } from "./pace.ts";
import { splitPhonemes } from "../phoneme-ids.ts";
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

export type HibariDeps = { readonly read: ReadFile };

/** Frames of 12.5 ms kept before and after the audible part. */
const marginFramesBefore = 2;
const marginFramesAfter = 5;

/**
 * Loads the models (the process then uses about 400 MB). `synthesize` throws `unsupported_value` for an unknown voice.
 * Pauses depend on the speed.
 */
export async function createHibari({ read }: HibariDeps): Promise<TextToSpeech> {
  const vocab = await readPhonemeIds(read);
  const model = await createAcousticModel(await read("hibari.onnx"));
  const frontEnd = await loadEnglishFrontEnd(read);
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
    return finishSpeech(speech, measuredGain(voice.gainDb), pauseSec, options);
  }

  return {
    sampleRateHz,
    phonemes: (text) => frontEnd.phonemes(text),
    unknownWords: (words) => words.filter((word) => frontEnd.unknownWords(word).length > 0),

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
      await frontEnd.close();
    },
  };
}

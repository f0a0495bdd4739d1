// The Kokoro engine: text → 24 kHz speech in many voices and six languages. Combines phonemes, the voices' styles, the
// graph, and post-processing. The caller splits long texts into sentences.

import { joinSamples } from "../../../audio/codec/pcm.ts";
import { stretchTime } from "../../../audio/dsp/time-stretch.ts";
import { AppError } from "../../../contract/errors.ts";
import type { ModelVoice } from "../../../contract/models.ts";
import { parseVoiceBlend } from "../../../contract/voice-blend.ts";
import {
  type SynthesisOptions,
  type TextToSpeech,
  ttsSampleRateHz as sampleRateHz,
} from "../../engine.ts";
import { type ReadFile, readPhonemeIds } from "../english.ts";
import { type ChunkLength, splitPhonemes } from "../phoneme-ids.ts";
import { finishSpeech, measuredGain, pauseAfterSec } from "../post-processing.ts";
import { createFrontEnd, type VoiceLanguage } from "./front-end.ts";
import { trimSilence } from "./silence.ts";
import type { SpeechGraph } from "./speech-graph.ts";
import { createStyles } from "./styles.ts";
import { takeVariation } from "./take-variation.ts";
import { voiceGainsDb } from "./voice-gains.ts";

export type KokoroDeps = {
  read: ReadFile;
  openGraph(): Promise<SpeechGraph>;
  /** Files of Hibari, by whose dictionaries American English is read. */
  readHibari: ReadFile;
  /** In the order of their styles in `voices.bin`. */
  voices: readonly ModelVoice[];
};

/** Beyond, the model mumbles or drawls: the rest of the change is made in the sound. */
const modelSpeed = { min: 0.7, max: 1.4 };
const toModelSpeed = (speed: number): number =>
  Math.min(modelSpeed.max, Math.max(modelSpeed.min, speed));
/** Of a voice that was not measured, such as a blend. */
const defaultGainDb = 1.5;

/**
 * About eight and nine seconds. A session keeps the memory of its longest chunk, 30 MB for each second. Where a
 * sentence has no mark to cut it at, a longer chunk sounds better than a cut within a phrase.
 */
const chunkLength = (speed: number): ChunkLength => ({
  preferred: Math.round(140 * speed),
  max: Math.round(160 * speed),
});

/**
 * Loads the graph and the styles (see NOTES.md for the memory). `synthesize` throws `unsupported_value` for an unknown
 * voice.
 */
export async function createKokoro({
  read,
  openGraph,
  readHibari,
  voices,
}: KokoroDeps): Promise<TextToSpeech> {
  const [graph, styleBytes, ids] = await Promise.all([
    openGraph(),
    read("voices.bin"),
    readPhonemeIds(readHibari),
  ]);
  const voiceIds = voices.map(({ id }) => id);
  const styles = createStyles(styleBytes, voiceIds);
  const frontEnd = createFrontEnd({ read, readHibari, knows: (phoneme) => ids.has(phoneme) });

  async function synthesizeChunk(
    phonemeIds: readonly number[],
    pauseSec: number,
    options: SynthesisOptions,
  ): Promise<Float32Array> {
    const { voice, speed, take = 0 } = options;
    const variation = takeVariation(take);
    const style = styles.find(voice, phonemeIds.length - 2 + variation.styleShift);
    if (style === undefined) throw unknownVoiceError(voice, voiceIds);
    const ownSpeed = toModelSpeed(speed * variation.speed);
    const samples = await graph.run({ phonemeIds, style, speed: ownSpeed });
    const speech = stretchTime(
      trimSilence(samples, sampleRateHz),
      (speed * variation.speed) / ownSpeed,
      sampleRateHz,
    );
    // Voices differ by several decibels from sentence to sentence, so each is brought to the common loudness.
    return finishSpeech(speech, measuredGain(gainDb(voice)), pauseSec, {
      speed,
      quality: "high",
    });
  }

  return {
    sampleRateHz,
    phonemes: (text) => frontEnd.phonemes(text, "en-US"),

    async synthesize(text, options, signal) {
      const language = languageOf(options.voice, voices);
      if (language === undefined) throw unknownVoiceError(options.voice, voiceIds);
      signal.throwIfAborted();
      const chunks = splitPhonemes(
        await frontEnd.phonemes(text, language),
        ids,
        chunkLength(toModelSpeed(options.speed)),
      );
      const parts: Float32Array[] = [];
      for (const [index, { ids: chunk, lastSymbol }] of chunks.entries()) {
        signal.throwIfAborted();
        const endsParagraph = index === chunks.length - 1 && options.paragraphEnd === true;
        parts.push(await synthesizeChunk(chunk, pauseAfterSec(lastSymbol, endsParagraph), options));
      }
      signal.throwIfAborted();
      return joinSamples(parts);
    },

    async close() {
      await graph.close();
      await frontEnd.close();
    },
  };
}

/** Of a blend, that of its first voice. */
function languageOf(voice: string, voices: readonly ModelVoice[]): VoiceLanguage | undefined {
  const [first] = parseVoiceBlend(voice);
  const found = voices.find(({ id }) => id === first?.id);
  if (found?.language !== "en") return found?.language as VoiceLanguage | undefined;
  return found.region === "GB" ? "en-GB" : "en-US";
}

/** Of a blend, the weighted mean. */
function gainDb(voice: string): number {
  const parts = parseVoiceBlend(voice);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return parts.reduce(
    (sum, { id, weight }) => sum + (weight / total) * (voiceGainsDb[id] ?? defaultGainDb),
    0,
  );
}

const unknownVoiceError = (voice: string, voiceIds: readonly string[]): AppError =>
  new AppError("voice.notInEngine", { voice, voices: voiceIds.join(", ") }, { param: "voice" });

// Text to speech by the families of speech-families.ts.

import { stretchTime } from "../../audio/dsp/time-stretch.ts";
import { AppError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { type TextToSpeech, ttsSampleRateHz as sampleRateHz } from "../engine.ts";
import { finishSpeech, unknownGain } from "../tts/post-processing.ts";
import { verifyFile } from "../verify-file.ts";
import { espeakDataDir } from "./espeak-data.ts";
import { type OfflineTts, sherpaOnnx } from "./sherpa-onnx.ts";
import { type SpeechModel, speechFamilies, type TextRules } from "./speech-families.ts";

/** Beyond, a model mumbles or drawls: the rest of the change is made in the sound. */
const minModelSpeed = 0.7;
const maxModelSpeed = 1.5;
/** At speed 1. Models end in a little silence of their own. */
const sentencePauseSec = 0.25;
const paragraphPauseSec = 0.6;

/** Names that OpenAI's clients use stand for the speakers most like them, or else for the first six. */
const openAiVoices = ["alloy", "echo", "fable", "onyx", "nova", "shimmer"];
const openAiSpeakers: Readonly<Record<string, string>> = {
  alloy: "af_alloy",
  echo: "am_echo",
  fable: "bm_fable",
  onyx: "am_onyx",
  nova: "af_nova",
  shimmer: "af_sky",
};

/**
 * @param supportDir folder of the app for what engines need
 * @throws AppError if the model is damaged or incomplete; Error if its family does not speak
 */
export async function createSpeech(
  model: InstalledModel,
  threads: number,
  supportDir: string,
): Promise<TextToSpeech> {
  const load = speechFamilies[model.family];
  if (load === undefined) throw new Error(`${model.id} cannot synthesize`);
  // The library ends the process if it cannot use a file.
  for (const file of model.files) await verifyFile(model, file);
  const speech = await load(model, await espeakDataDir(supportDir));
  const create = (rules: TextRules | undefined): Promise<OfflineTts> =>
    sherpaOnnx.OfflineTts.createAsync({
      model: { ...speech.config, numThreads: threads, provider: "cpu", debug: 0 },
      maxNumSentences: 1,
      ...rules,
    });
  let rules = rulesFor(speech, 0);
  let tts = await create(rules);

  return {
    sampleRateHz,
    async synthesize(text, { voice, speed, paragraphEnd = false }, signal) {
      const sid = findSpeaker(voice, { model, speakers: speech.speakers, count: tts.numSpeakers });
      signal.throwIfAborted();
      const newRules = rulesFor(speech, sid);
      // They are fixed on loading.
      if (newRules !== rules) [tts, rules] = [await create(newRules), newRules];
      if (!/[\p{L}\p{N}]/u.test(text)) return new Float32Array(0);
      const modelSpeed = Math.min(maxModelSpeed, Math.max(minModelSpeed, speed));
      const { samples, sampleRate } = await tts.generateAsync({
        text,
        sid,
        speed: modelSpeed,
        enableExternalBuffer: false,
        ...languageConfig(speech, sid, modelSpeed),
      });
      signal.throwIfAborted();
      if (samples.length === 0) return samples;
      const converted =
        sampleRate === sampleRateHz
          ? samples
          : new sherpaOnnx.LinearResampler(sampleRate, sampleRateHz).flush(samples);
      return finishSpeech(
        stretchTime(converted, speed / modelSpeed, sampleRateHz),
        unknownGain,
        paragraphEnd ? paragraphPauseSec : sentencePauseSec,
        { speed, quality: "high" },
      );
    },
    /** The library does not tell them. */
    phonemes: () => Promise.reject(new AppError("model.noPhonemes")),
    /** The library frees the model with the garbage. */
    close: () => Promise.resolve(void (tts = undefined as unknown as typeof tts)),
  };
}

/** Those of a model for several languages are for Chinese: they would write numbers in other texts in Chinese, too. */
function rulesFor(
  { rules, languageOf, speakers }: SpeechModel,
  sid: number,
): TextRules | undefined {
  const speaker = speakers[sid];
  const isChinese =
    languageOf === undefined || speaker === undefined || languageOf(speaker) === "cmn";
  return isChinese ? rules : undefined;
}

function languageConfig({ languageOf, speakers }: SpeechModel, sid: number, speed: number) {
  const speaker = speakers[sid];
  return languageOf === undefined || speaker === undefined
    ? {}
    : { generationConfig: { sid, speed, extra: { lang: languageOf(speaker) } } };
}

/**
 * A speaker's number by name, number, one of OpenAI's names, or the name of a voice in the model's list.
 * @throws AppError `unsupported_value` where the model has several speakers and none of this name
 */
function findSpeaker(
  voice: string,
  {
    model: { voices = [] },
    speakers,
    count,
  }: { model: InstalledModel; speakers: readonly string[]; count: number },
): number {
  if (count <= 1) return 0;
  const named = speakers.indexOf(openAiSpeakers[voice] ?? voice);
  if (named !== -1) return named;
  const exact = speakers.indexOf(voice);
  if (exact !== -1) return exact;
  const listed = voices.findIndex(({ id }) => id === voice);
  if (listed !== -1 && voices.length === count) return listed;
  if (openAiVoices.includes(voice)) return openAiVoices.indexOf(voice) % count;
  const number = /^\d+$/.test(voice) ? Number(voice) : count;
  if (number < count) return number;
  throw new AppError(
    "voice.notInEngine",
    { voice, voices: speakers.length > 0 ? speakers.join(", ") : `0 … ${count - 1}` },
    { param: "voice" },
  );
}

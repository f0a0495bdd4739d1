// Speech to text by the families of recognizer-families.ts.

import { joinSamples } from "../../audio/codec/pcm.ts";
import { findQuietestSample } from "../../audio/dsp/quietest-sample.ts";
import { AppError } from "../../contract/errors.ts";
import type { InstalledModel } from "../../contract/models.ts";
import type { TranscriptSegment } from "../../contract/speech.ts";
import {
  type SpeechSegment,
  type SpeechToText,
  sttSampleRateHz,
  type TranscribeOptions,
} from "../engine.ts";
import { verifyFile } from "../verify-file.ts";
import { readVocabulary, toSegments } from "./recognized-segment.ts";
import {
  recognizerConfig,
  recognizerFamilies,
  type RecognizerFamily,
  type SpokenLanguages,
} from "./recognizer-families.ts";
import { type OfflineRecognizer, type RecognitionResult, sherpaOnnx } from "./sherpa-onnx.ts";

/** Shorter audio is filled up with silence: some families fail on a few frames. */
const minSec = 0.6;
/** Longer audio is cut at the quietest place of the last part of what fits. */
const cutRangeSec = 5;

/** @throws AppError if the model is damaged or incomplete; Error if its family does not recognize speech */
export async function createRecognizer(
  model: InstalledModel,
  threads: number,
): Promise<SpeechToText> {
  const family = recognizerFamilies[model.family];
  if (family === undefined) throw new Error(`${model.id} cannot transcribe`);
  // The library ends the process if it cannot use a file.
  for (const file of model.files) await verifyFile(model, file);
  const vocabulary = await readVocabulary(model);
  const recognizers = createRecognizerSource(model, family, threads);
  await recognizers.get({ source: defaultLanguage(model), target: defaultLanguage(model) });

  async function recognize(
    samples: Float32Array,
    languages: SpokenLanguages,
  ): Promise<RecognitionResult> {
    const recognizer = await recognizers.get(languages);
    const stream = recognizer.createStream();
    const missing = Math.max(0, minSec * sttSampleRateHz - samples.length);
    stream.acceptWaveform({
      samples: missing === 0 ? samples : joinSamples([samples, new Float32Array(missing)]),
      sampleRate: sttSampleRateHz,
    });
    return recognizer.decodeAsync(stream);
  }

  return {
    async transcribe(speechSegments, options, signal) {
      const languages = spokenLanguages(model, family, options);
      const transcripts: TranscriptSegment[][] = [];
      for (const speech of speechSegments) {
        const segments: TranscriptSegment[] = [];
        for (const part of cutAtPauses(speech, family.maxSec)) {
          signal.throwIfAborted();
          const result = await recognize(part.samples, languages);
          const language = detectedLanguage(model, result, options, languages);
          segments.push(...toSegments(result, part, options, language, vocabulary));
        }
        transcripts.push(segments);
      }
      signal.throwIfAborted();
      return transcripts;
    },
    close: () => Promise.resolve(recognizers.drop()),
  };
}

/** Keeps one recognizer: the one for the language last used, where the language is fixed on loading. */
function createRecognizerSource(model: InstalledModel, family: RecognizerFamily, threads: number) {
  let loaded: { recognizer: OfflineRecognizer; languages: SpokenLanguages } | undefined;
  return {
    async get(languages: SpokenLanguages): Promise<OfflineRecognizer> {
      const config = recognizerConfig(model, family.config(model, languages), threads);
      const isSame =
        loaded?.languages.source === languages.source &&
        loaded.languages.target === languages.target;
      if (loaded === undefined || (family.isLoadedPerLanguage === true && !isSame)) {
        loaded = undefined;
        loaded = { recognizer: await sherpaOnnx.OfflineRecognizer.createAsync(config), languages };
      } else if (!isSame && family.needsLanguage === true) {
        loaded.recognizer.setConfig(config);
        loaded.languages = languages;
      }
      return loaded.recognizer;
    },
    /** The library frees it with the garbage. */
    drop: () => void (loaded = undefined),
  };
}

/** The language of a model that knows only one; otherwise the model detects it, or it is set later. */
const defaultLanguage = ({ languages }: InstalledModel): string =>
  languages.length === 1 ? (languages[0]?.code ?? "") : "";

/** @throws AppError `model.languageNeeded` */
function spokenLanguages(
  model: InstalledModel,
  { needsLanguage = false }: RecognizerFamily,
  { task, language, likelyLanguage }: TranscribeOptions,
): SpokenLanguages {
  const isKnown = (code: string | undefined): code is string =>
    model.languages.some((known) => known.code === code);
  const source =
    language ??
    (needsLanguage && isKnown(likelyLanguage) ? likelyLanguage : defaultLanguage(model));
  if (needsLanguage && source === "") {
    const languages = model.languages.map(({ code }) => code).join(", ");
    throw new AppError(
      "model.languageNeeded",
      { model: model.id, languages },
      { param: "language" },
    );
  }
  return { source, target: task === "translate" ? "en" : source };
}

/** The language that was named, or else the one that the model names; empty if neither is known. */
function detectedLanguage(
  { languages }: InstalledModel,
  { lang }: RecognitionResult,
  { likelyLanguage = "" }: TranscribeOptions,
  { source }: SpokenLanguages,
): string {
  // `<|en|>`; a model may also report `<|nospeech|>`.
  const reported = languages.find(({ code }) => lang === `<|${code}|>`);
  return source || (reported?.code ?? likelyLanguage);
}

/** Parts that the family transcribes at once. */
function cutAtPauses(speech: SpeechSegment, maxSec: number): SpeechSegment[] {
  const maxSamples = maxSec * sttSampleRateHz;
  const parts: SpeechSegment[] = [];
  let from = 0;
  while (speech.samples.length - from > maxSamples) {
    const range = speech.samples.subarray(
      from + maxSamples - cutRangeSec * sttSampleRateHz,
      from + maxSamples,
    );
    const at = from + maxSamples - range.length + findQuietestSample(range, sttSampleRateHz);
    parts.push(partOf(speech, from, at));
    from = at;
  }
  return [...parts, partOf(speech, from, speech.samples.length)];
}

function partOf(speech: SpeechSegment, from: number, to: number): SpeechSegment {
  if (from === 0 && to === speech.samples.length) return speech;
  const offsetSec = speech.offsetSec + from / sttSampleRateHz;
  const untilSec = speech.offsetSec + to / sttSampleRateHz;
  return {
    ...speech,
    samples: speech.samples.subarray(from, to),
    offsetSec,
    startSec: Math.max(speech.startSec, offsetSec),
    endSec: Math.min(speech.endSec, untilSec),
    voicedSec: speech.voicedSec * ((to - from) / speech.samples.length),
  };
}

// A child's tasks for speech engines: transcription, language detection, synthesis, phonemes. Models are leased.

import { setImmediate } from "node:timers/promises";
import { joinSamples } from "../../audio/codec/pcm.ts";
import { readPcmRange, writePcmFile } from "../../audio/codec/pcm-file.ts";
import type { SpeechSegmentSpan } from "../../audio/dsp/vad-segmenter.ts";
import {
  type SpeechSegment,
  type SpeechToText,
  sttSampleRateHz,
  type TextToSpeech,
} from "../engine.ts";
import type { ModelCache } from "./model-cache.ts";
import type { TaskHandlers } from "./protocol.ts";

/** Between which the task can be cancelled. */
const wordsPerStep = 200;

type EngineTasks = Pick<
  TaskHandlers,
  "transcribe" | "detect-language" | "synthesize" | "phonemes" | "unknown-words"
>;

export function createEngineTasks(
  sttModels: ModelCache<SpeechToText>,
  ttsModels: ModelCache<TextToSpeech>,
): EngineTasks {
  return {
    transcribe: ({ model, pcmPath, speechSegments, options }, signal) =>
      sttModels.lease(model, async (engine) =>
        engine.transcribe(await readSpeechSegments(pcmPath, speechSegments), options, signal),
      ),
    "detect-language": ({ model, pcmPath, speechSegments }, signal) =>
      sttModels.lease(model, async (engine) => {
        const segments = await readSpeechSegments(pcmPath, speechSegments);
        const samples = joinSamples(segments.map((segment) => segment.samples));
        return (await engine.detectLanguage?.(samples, signal)) ?? [];
      }),
    synthesize: ({ model, text, options, pcmPath }, signal) =>
      ttsModels.lease(model, async (engine) => {
        const samples = await engine.synthesize(text, options, signal);
        await writePcmFile(pcmPath, samples);
        return { durationSec: samples.length / engine.sampleRateHz };
      }),
    phonemes: ({ model, lines }, signal) =>
      ttsModels.lease(model, async (engine) => {
        const result: string[] = [];
        for (const line of lines) {
          signal.throwIfAborted();
          result.push(await engine.phonemes(line));
        }
        return result;
      }),
    "unknown-words": ({ model, words }, signal) =>
      ttsModels.lease(model, async (engine) => {
        const result: string[] = [];
        for (let at = 0; at < words.length; at += wordsPerStep) {
          await setImmediate(undefined, { signal });
          result.push(...(engine.unknownWords?.(words.slice(at, at + wordsPerStep)) ?? []));
        }
        return result;
      }),
  };
}

const readSpeechSegments = (
  pcmPath: string,
  speechSegments: readonly SpeechSegmentSpan[],
): Promise<SpeechSegment[]> =>
  Promise.all(speechSegments.map((speechSegment) => readSpeechSegment(pcmPath, speechSegment)));

async function readSpeechSegment(
  pcmPath: string,
  speechSegment: SpeechSegmentSpan,
): Promise<SpeechSegment> {
  const {
    fromSec,
    toSec,
    quietFromSec = fromSec,
    quietToSec = toSec,
    startSec,
    endSec,
    voicedSec,
    voiceProb,
  } = speechSegment;
  const [first, from, to, last] = [quietFromSec, fromSec, toSec, quietToSec].map((sec) =>
    Math.round(sec * sttSampleRateHz),
  ) as [number, number, number, number];
  const samples = await readPcmRange(pcmPath, first, last);
  const part = (begin: number, end: number): Float32Array =>
    samples.subarray(begin - first, end - first);
  return {
    samples: part(from, to),
    before: part(first, from),
    after: part(to, last),
    offsetSec: fromSec,
    startSec,
    endSec,
    voicedSec,
    voiceProb,
  };
}

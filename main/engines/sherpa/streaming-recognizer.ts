// Speech to text by a transducer that takes audio in chunks. A file's speech goes through a stream of its own; drafts
// of growing speech share one that stays open, which is given only the samples that are new.

import { setImmediate } from "node:timers/promises";
import type { InstalledModel } from "../../contract/models.ts";
import { type SpeechSegment, type SpeechToText, sttSampleRateHz } from "../engine.ts";
import { verifyFile } from "../verify-file.ts";
import { requireFile } from "./model-folder.ts";
import { readOnnxMetadata } from "../../storage/onnx-metadata.ts";
import { createOpenStreams, type FedStream } from "./open-streams.ts";
import { readVocabulary, toSegments } from "./recognized-segment.ts";
import { recognizerConfig, transducer } from "./recognizer-families.ts";
import { type OnlineRecognizer, type RecognitionResult, sherpaOnnx } from "./sherpa-onnx.ts";

/** Of features, of which a chunk has some 45. */
const frameSec = 0.01;
/** Transducers write a word a little after it was said. */
const delaySec = 0.15;
/** Between which the task can be cancelled. */
const chunksPerStep = 10;

/** @throws AppError if the model is damaged or incomplete */
export async function createStreamingRecognizer(
  model: InstalledModel,
  threads: number,
): Promise<SpeechToText> {
  // The library ends the process if it cannot use a file.
  for (const file of model.files) await verifyFile(model, file);
  const vocabulary = await readVocabulary(model);
  const tail = await chunkOfSilence(model);
  const recognizer: OnlineRecognizer = new sherpaOnnx.OnlineRecognizer(
    recognizerConfig(model, transducer(model), threads),
  );
  const openStreams = createOpenStreams(() => recognizer.createStream());

  async function decode({ stream }: FedStream, signal: AbortSignal): Promise<void> {
    for (let chunks = 1; recognizer.isReady(stream); chunks += 1) {
      recognizer.decode(stream);
      if (chunks % chunksPerStep === 0) await setImmediate(undefined, { signal });
    }
  }

  /** @param isOver no more samples come: the last words are there, too */
  async function recognize(
    fed: FedStream,
    samples: Float32Array,
    isOver: boolean,
    signal: AbortSignal,
  ): Promise<RecognitionResult> {
    fed.feed(samples);
    if (isOver) fed.finish(tail);
    await decode(fed, signal);
    const { text, tokens, timestamps, ys_probs } = recognizer.getResult(fed.stream);
    return { text, tokens, timestamps, ys_log_probs: ys_probs, durations: [], lang: "" };
  }

  const [onlyLanguage] = model.languages.length === 1 ? model.languages : [];

  return {
    async transcribe(speechSegments, options, signal) {
      const { utterance, language = onlyLanguage?.code ?? options.likelyLanguage ?? "" } = options;
      const resultOf = ({ samples }: SpeechSegment): Promise<RecognitionResult> =>
        utterance === undefined || speechSegments.length !== 1
          ? recognize(openStreams.open(), samples, true, signal)
          : openStreams.use(utterance, samples.length, (fed) =>
              recognize(fed, samples, utterance.isOver, signal),
            );
      const transcripts: ReturnType<typeof toSegments>[] = [];
      for (const speech of speechSegments) {
        signal.throwIfAborted();
        const result = await resultOf(speech);
        transcripts.push(toSegments(result, speech, options, language, vocabulary));
      }
      return transcripts;
    },
    /** The library frees the model with the garbage. */
    close: () => Promise.resolve(openStreams.clear()),
  };
}

/** As long as a chunk, so that all samples before it are decoded. */
async function chunkOfSilence(model: InstalledModel): Promise<Float32Array> {
  const encoder = requireFile(model, /(^|\/)encoder[^/]*\.onnx$/, "encoder.onnx");
  const chunkFrames = Number((await readOnnxMetadata(encoder)).get("T") ?? 45);
  return new Float32Array((chunkFrames * frameSec + delaySec) * sttSampleRateHz);
}

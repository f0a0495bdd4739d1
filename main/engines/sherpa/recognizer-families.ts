// The library's configuration for each family that recognizes speech, and the longest audio that one call may have.

import type { InstalledModel, ModelFamily } from "../../contract/models.ts";
import { requireFile } from "./model-folder.ts";

/** Languages of what is spoken and of the text, which only some families take. */
export type SpokenLanguages = { readonly source: string; readonly target: string };

export type RecognizerFamily = {
  /** More is cut at a pause. */
  readonly maxSec: number;
  /** The model has to know which language is spoken. */
  readonly needsLanguage?: boolean;
  /** Another language needs another recognizer, not only another setting of it. */
  readonly isLoadedPerLanguage?: boolean;
  /** The part of `modelConfig` that names the model. */
  config(model: InstalledModel, languages: SpokenLanguages): object;
};

export const transducer = (model: InstalledModel): object => ({
  transducer: {
    encoder: requireFile(model, /(^|\/)encoder[^/]*\.onnx$/, "encoder.onnx"),
    decoder: requireFile(model, /(^|\/)decoder[^/]*\.onnx$/, "decoder.onnx"),
    joiner: requireFile(model, /(^|\/)joiner[^/]*\.onnx$/, "joiner.onnx"),
  },
});

export const recognizerFamilies: Partial<Record<ModelFamily, RecognizerFamily>> = {
  // The encoder has positions for 400 s (5000 frames) and fails beyond; memory grows with the square of the length.
  parakeet: {
    maxSec: 240,
    config: (model) => ({ ...transducer(model), modelType: "nemo_transducer" }),
  },
  // Trained on at most 30 s.
  "sense-voice": {
    maxSec: 30,
    isLoadedPerLanguage: true,
    config: (model, { source }) => ({
      senseVoice: {
        model: requireFile(model, /(^|\/)model[^/]*\.onnx$/, "model.onnx"),
        language: source === "" ? "auto" : source,
        useInverseTextNormalization: 1,
      },
    }),
  },
  // Trained on at most 40 s.
  canary: {
    maxSec: 40,
    needsLanguage: true,
    config: (model, { source, target }) => ({
      canary: {
        encoder: requireFile(model, /(^|\/)encoder[^/]*\.onnx$/, "encoder.onnx"),
        decoder: requireFile(model, /(^|\/)decoder[^/]*\.onnx$/, "decoder.onnx"),
        srcLang: source,
        tgtLang: target,
        usePnc: 1,
      },
    }),
  },
  // Trained on at most 30 s.
  zipformer: { maxSec: 30, config: (model) => ({ ...transducer(model), modelType: "transducer" }) },
};

/**
 * @param modelFiles the part of `modelConfig` that names the model
 * @param threads computing threads of this process
 */
export const recognizerConfig = (
  model: InstalledModel,
  modelFiles: object,
  threads: number,
): object => ({
  featConfig: { sampleRate: 16_000, featureDim: 80 },
  modelConfig: {
    ...modelFiles,
    tokens: requireFile(model, /(^|\/)tokens\.txt$/, "tokens.txt"),
    numThreads: threads,
    provider: "cpu",
    debug: 0,
  },
  decodingMethod: "greedy_search",
});

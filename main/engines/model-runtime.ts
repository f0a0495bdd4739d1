// Which library runs the models of a family, and which models are large. The two libraries contain different versions
// of ONNX Runtime and are never in one process.

import type { ModelFamily, ModelFile } from "../contract/models.ts";

export type Runtime = "onnxruntime" | "sherpa";

const sherpaFamilies: ReadonlySet<ModelFamily> = new Set<ModelFamily>([
  "parakeet",
  "sense-voice",
  "canary",
  "zipformer",
  "piper",
  "kokoro",
  "kitten",
  "matcha",
]);

export const familyRuntime = (family: ModelFamily): Runtime =>
  sherpaFamilies.has(family) ? "sherpa" : "onnxruntime";

/** Larger ones are held by one process, which computes with all threads, instead of one per core. */
const maxSmallModelBytes = 300e6;

type Sized = { readonly files: readonly ModelFile[] };

export const modelFileBytes = ({ files }: Sized): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

export const isLargeModel = (model: Sized): boolean => modelFileBytes(model) > maxSmallModelBytes;

// Which library runs the models of a family, which models are large, and which are the same. The two libraries contain
// different versions of ONNX Runtime and are never in one process.

import { sizeOfFiles } from "../contract/model-size.ts";
import type { InstalledModel, ModelFamily } from "../contract/models.ts";

export type Runtime = "onnxruntime" | "sherpa";

const sherpaFamilies: ReadonlySet<ModelFamily> = new Set<ModelFamily>([
  "parakeet",
  "sense-voice",
  "canary",
  "zipformer",
  "zipformer-streaming",
  "piper",
  "kokoro",
  "kitten",
  "matcha",
]);

export const familyRuntime = (family: ModelFamily): Runtime =>
  sherpaFamilies.has(family) ? "sherpa" : "onnxruntime";

/** Larger ones are held by one process, which computes with all threads, instead of one per core. */
const maxSmallModelBytes = 300e6;

type Sized = Pick<InstalledModel, "files" | "memoryBytes">;

/** Some need far more memory than their files tell. */
export const isLargeModel = ({ files, memoryBytes = 0 }: Sized): boolean =>
  Math.max(memoryBytes, sizeOfFiles(files)) > maxSmallModelBytes;

/** How many tasks of one process a model computes at the same time, on threads of their own. */
export const tasksSideBySide = ({ family }: InstalledModel): number =>
  family === "kokoro-compact" ? 2 : 1;

/** No other execution provider is tried, see sherpa/NOTES.md. */
export const isCpuOnly = ({ kind, family }: Pick<InstalledModel, "kind" | "family">): boolean =>
  kind !== "speech-to-text" || familyRuntime(family) === "sherpa";

/** Of onnxruntime. */
export const providerOf = ({ provider = "cpu" }: InstalledModel): string => provider;

/** Differs once the model was installed again, perhaps with other weights. */
export const installationOf = ({ id, installedAt, files }: InstalledModel): string =>
  [id, installedAt, ...files.map(({ sha256 }) => sha256)].join(" ");

// What a model is: an entry of the catalog, a model on this machine, and what clients see of one at any channel.

import { z } from "zod";
import type { ModelMeasurement } from "./measurements.ts";
import type { SentMessage } from "./messages/messages.ts";

export const modelFamilies = [
  "whisper",
  "moonshine",
  "moonshine-v2",
  "parakeet",
  "sense-voice",
  "canary",
  "zipformer",
  "zipformer-streaming",
  "hibari",
  "piper",
  "kokoro",
  "kokoro-compact",
  "kitten",
  "matcha",
  "silero",
  "pyannote",
] as const;
/** Models that one engine loads, from the same set of files. */
export type ModelFamily = (typeof modelFamilies)[number];

export const modelKinds = [
  "speech-to-text",
  "text-to-speech",
  "voice-activity",
  "diarization",
] as const;
export type ModelKind = (typeof modelKinds)[number];

/** Whether nobody asks for such a model: others need it for their work. */
export const isAuxiliary = (kind: ModelKind): kind is "voice-activity" | "diarization" =>
  kind === "voice-activity" || kind === "diarization";

/** `name` is the path below the model's folder, with slashes. */
export type ModelFile = {
  readonly name: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
};

/** What a model can do besides its kind; the window and the errors state it before a request fails. */
export type ModelCapabilities = {
  /** Times of single words. */
  readonly wordTimes: boolean;
  /** Finds the language itself. */
  readonly languageDetection: boolean;
  /** Takes a prompt that steers spelling. */
  readonly prompt: boolean;
  /** Returns text while audio arrives. */
  readonly streaming: boolean;
  /** Target languages of speech translation, ISO-639-1. */
  readonly translatesTo: readonly string[];
};

export const noCapabilities: ModelCapabilities = {
  wordTimes: false,
  languageDetection: false,
  prompt: false,
  streaming: false,
  translatesTo: [],
};

/** A voice of a text-to-speech model. */
export const modelVoice = z.object({
  id: z.string(),
  name: z.string(),
  character: z.string(),
  /** A code of contract/languages.ts; empty if unknown. */
  language: z.string(),
  /** ISO 3166-1 alpha-2, if the voice is of one region. */
  region: z.string().exactOptional(),
  gender: z.enum(["female", "male", "neutral"]).exactOptional(),
  /** Compared with voices of the same gender. */
  register: z.enum(["low", "medium", "high"]).exactOptional(),
  /** Compared with voices of the same language. */
  tempo: z.enum(["slow", "medium", "fast"]).exactOptional(),
  /** How far the pitch moves, compared with voices of the same language. */
  melody: z.enum(["even", "medium", "lively"]).exactOptional(),
  /** How it sounds, in a sentence. */
  description: z.string().exactOptional(),
});
export type ModelVoice = Readonly<z.infer<typeof modelVoice>>;

/** A published word (or, where words are not separated, character) error rate. */
export type PublishedErrorRate = {
  /** 1 is 100 percent; more is possible. */
  readonly rate: number;
  readonly unit: "words" | "characters";
  /** Test set, such as `FLEURS, transcribe.cpp`: rates are compared within the same one only. */
  readonly testSet: string;
  readonly url: string;
};

export type ModelLanguage = {
  /** A code of contract/languages.ts. */
  readonly code: string;
  readonly errorRate?: PublishedErrorRate;
};

export type ModelLicence = {
  /** SPDX identifier or the licence's own name. */
  readonly name: string;
  readonly url?: string;
  /** Not a free licence: shown and accepted before a download. */
  readonly mustBeAccepted?: boolean;
};

/** Files of one repository of a model hub, at a fixed revision. */
export type ModelSource = {
  /** `owner/name`. */
  readonly repository: string;
  /** A commit: 40 hexadecimal digits. */
  readonly revision: string;
  /** File name → path in the repository, for every file that is there; omitted: each is there by its name. */
  readonly paths?: Readonly<Record<string, string>>;
};

/** What is known of a model without having it. */
export type CatalogEntry = {
  readonly id: string;
  readonly family: ModelFamily;
  readonly kind: ModelKind;
  readonly name: string;
  readonly ownedBy: string;
  readonly licence: ModelLicence;
  /** Release of the weights, Unix seconds. */
  readonly created: number;
  readonly languages: readonly ModelLanguage[];
  readonly capabilities: ModelCapabilities;
  /** Where the files can be downloaded; empty for models that only come with the app. */
  readonly sources: readonly ModelSource[];
  readonly files: readonly ModelFile[];
  /** Of text-to-speech models, in the order of the model's own speaker numbers. */
  readonly voices?: readonly ModelVoice[];
  /** Id of another model that comes with the app, whose files this one uses as well. */
  readonly uses?: string;
  /** Estimated memory of a process that holds the model; omitted: estimated from the files. */
  readonly memoryBytes?: number;
  /** Transcribe neighboring speech segments together, up to this duration. */
  readonly batchMaxSec?: number;
  /** Transcribe audio up to this duration in one pass, silence included. */
  readonly singlePassMaxSec?: number;
};

/** Within a model's folder: files that engines make from the model's own, once. They go with the model. */
export const preparedFolderName = ".prepared";

/** A model whose files are on this machine. Plain data: it is sent to engine processes as it is. */
export type InstalledModel = CatalogEntry & {
  /** The one that `uses` names. */
  readonly usedModel?: InstalledModel;
  /** Absolute path of the folder with the files. */
  readonly dir: string;
  /** `shipped` models came with the app and cannot be removed. */
  readonly origin: "shipped" | "downloaded" | "imported";
  /** Unix seconds; 0 for shipped models. */
  readonly installedAt: number;
  /** Set aside: a file is missing, changed or not loadable. */
  readonly damaged?: SentMessage;
  readonly measured?: ModelMeasurement;
  /** Execution provider of onnxruntime, if a trial showed that one besides the CPU is right and faster. */
  readonly provider?: string;
};

/** A model as clients see it, at any channel. */
export type ModelInfo = {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly ownedBy: string;
  /** `unknown` is possible for another provider's model. */
  readonly kind: "speech-to-text" | "text-to-speech" | "unknown";
};

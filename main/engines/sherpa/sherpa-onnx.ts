// The part of the package sherpa-onnx-node that the engines use, with types, which it does not have itself. Its library
// contains another version of ONNX Runtime: a process loads either this or onnxruntime-node, never both.

import { createRequire } from "node:module";

export type RecognitionResult = {
  readonly text: string;
  /** Such as `<|en|>`; empty if the model does not tell. */
  readonly lang: string;
  readonly tokens: readonly string[];
  /** Start of each token in seconds; empty if the model does not tell. */
  readonly timestamps: readonly number[];
  readonly durations: readonly number[];
  readonly ys_log_probs: readonly number[];
};

export type OfflineStream = {
  acceptWaveform(waveform: { samples: Float32Array; sampleRate: number }): void;
};

export type OfflineRecognizer = {
  createStream(): OfflineStream;
  setConfig(config: object): void;
  decodeAsync(stream: OfflineStream): Promise<RecognitionResult>;
};

export type OnlineStream = OfflineStream & {
  /** No more samples come: what is left is decoded, although it is less than a chunk. */
  inputFinished(): void;
};

export type OnlineRecognizer = {
  createStream(): OnlineStream;
  /** Whether the stream has the samples of another chunk. */
  isReady(stream: OnlineStream): boolean;
  /** Decodes one chunk, while the thread waits. */
  decode(stream: OnlineStream): void;
  getResult(stream: OnlineStream): OnlineResult;
};

export type OnlineResult = Pick<RecognitionResult, "text" | "tokens" | "timestamps"> & {
  /** Log probabilities of the tokens. */
  readonly ys_probs: readonly number[];
};

export type OfflineTts = {
  readonly numSpeakers: number;
  readonly sampleRate: number;
  /** `enableExternalBuffer: false` copies the samples: Electron does not allow buffers of native code. */
  generateAsync(request: {
    text: string;
    sid: number;
    speed: number;
    enableExternalBuffer: false;
    generationConfig?: { sid: number; speed: number; extra: Readonly<Record<string, string>> };
  }): Promise<{ samples: Float32Array; sampleRate: number }>;
};

type SherpaOnnx = {
  readonly OfflineRecognizer: { createAsync(config: object): Promise<OfflineRecognizer> };
  readonly OnlineRecognizer: new (config: object) => OnlineRecognizer;
  readonly OfflineTts: { createAsync(config: object): Promise<OfflineTts> };
  readonly LinearResampler: new (
    inputSampleRate: number,
    outputSampleRate: number,
  ) => { flush(samples: Float32Array): Float32Array };
};

export const sherpaOnnx = createRequire(import.meta.url)("sherpa-onnx-node") as SherpaOnnx;

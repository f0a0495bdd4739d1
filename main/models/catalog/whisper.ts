// Whisper in the layout of the model hub, 8 bits. Repositories named `_timestamped` have the graphs that word times need.

import type { CatalogEntry, ModelCapabilities } from "../../contract/models.ts";
import { unixSec, whisperBaseLanguages, whisperLanguages } from "./common.ts";

const capabilities: ModelCapabilities = {
  wordTimes: false,
  languageDetection: true,
  prompt: true,
  streaming: false,
  translatesTo: ["en"],
};

const whisper = {
  kind: "speech-to-text",
  family: "whisper",
  ownedBy: "openai",
  licence: { name: "MIT", url: "https://github.com/openai/whisper/blob/main/LICENSE" },
  created: unixSec("2022-09-21"),
  batchMaxSec: 20,
  singlePassMaxSec: 30,
} as const;

export const whisperCatalog: readonly CatalogEntry[] = [
  {
    ...whisper,
    id: "whisper-tiny",
    name: "Whisper tiny",
    languages: whisperLanguages,
    capabilities: capabilities,
    sources: [
      {
        repository: "onnx-community/whisper-tiny",
        revision: "ff4177021cc41f7db950912b73ea4fdf7d01d8e7",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_243,
        sha256: "46aeea0a406afbeb563fc8e59ca10609203df4299af6a83f73752fef369efd2d",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_772,
        sha256: "f5c67e5a4f7102f8cb4d058bc95da276bbc19eeec997267c3bb0f25ef68facd1",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_466,
        sha256: "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 10_124_990,
        sha256: "2af4a414ca47aa30f61246017e5fe82b0a8d229281d1255ba666a2a7f6b84d19",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 30_719_241,
        sha256: "25e807a962b6349356d0ea5d0dfe530b7e5bf0e2a484aeca0359d03143faddd3",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-base-timestamped",
    name: "Whisper base, as on the model hub",
    languages: whisperBaseLanguages(),
    capabilities: { ...capabilities, wordTimes: true },
    sources: [
      {
        repository: "onnx-community/whisper-base_timestamped",
        revision: "608c49e61301901684bc36cac8f74b95ff6b5a8e",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_243,
        sha256: "f4d0608f7d918166da7edb3e188de5ef1bfe70d9802e785d271fd88111e9cf4b",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_832,
        sha256: "61070cf8de25b1e9256e8e102ded49d8d24a8369ed36ef84fdf21549e68125a0",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_466,
        sha256: "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 23_159_167,
        sha256: "2714484ebe1bae7c1646e8eadb768bb9d415cf11763466d21f23039a29c62e6f",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 53_712_708,
        sha256: "cf9a8d5bcddc0917a0078135b484cedcaf44f28909cd91910abd29dced9171db",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-small",
    name: "Whisper small",
    languages: whisperLanguages,
    capabilities: capabilities,
    sources: [
      {
        repository: "onnx-community/whisper-small",
        revision: "36050c46d777d46dc4b5f43f6d90574fc38f8732",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_227,
        sha256: "457854d452f17661e197d74aee12b8e74fb75ba30ebfaa7426d0d61ea1e08a18",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_893,
        sha256: "f538b28220c6a6d6f1af1458d4141cacb4ef4963df3de98a19490440c412ddf0",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_466,
        sha256: "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 92_326_160,
        sha256: "a43a83f3c5361cd591cfa7c36f14b43cf7cb22f47a415cc14a8d557be800fa92",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 156_750_845,
        sha256: "ec07c3cbb64172c39791e26ee870a65ac22b458c36722bfe2776b3dbf741e0c9",
      },
    ],
  },
];

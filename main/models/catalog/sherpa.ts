// Recognizers that run through sherpa-onnx: NVIDIA's Parakeet and Canary, SenseVoice, and Zipformer.

import { type CatalogEntry, noCapabilities } from "../../contract/models.ts";
import { english, languagesOf, type PublishedRates, unixSec, withRates } from "./common.ts";
import { fleursRates } from "./fleurs-rates.ts";

const nvidia = { kind: "speech-to-text", ownedBy: "nvidia" } as const;
const creativeCommons = {
  name: "CC-BY-4.0",
  url: "https://creativecommons.org/licenses/by/4.0/",
};

const parakeetV3Rates = fleursRates("parakeet-tdt-0.6b-v3");

/** By greedy search. Of the two published checkpoints the one with more errors: which was converted is not said. */
const zipformerRates: PublishedRates = {
  testSet: "LibriSpeech test-other",
  url: "https://github.com/k2-fsa/icefall/blob/master/egs/librispeech/ASR/RESULTS.md",
  percent: { en: 5.1 },
};

export const sherpaCatalog: readonly CatalogEntry[] = [
  {
    ...nvidia,
    family: "parakeet",
    id: "parakeet-tdt-0.6b-v3",
    name: "Parakeet TDT 0.6b v3",
    licence: creativeCommons,
    created: unixSec("2025-08-14"),
    languages: withRates(
      languagesOf(Object.keys(parakeetV3Rates.percent).join(" ")),
      parakeetV3Rates,
    ),
    capabilities: { ...noCapabilities, wordTimes: true, languageDetection: true },
    sources: [
      {
        repository: "csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8",
        revision: "2bda32ec70b097a55adaa07d9a7173915b43cc78",
      },
    ],
    files: [
      {
        name: "encoder.int8.onnx",
        sizeBytes: 652_184_281,
        sha256: "acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247",
      },
      {
        name: "decoder.int8.onnx",
        sizeBytes: 11_845_275,
        sha256: "179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e",
      },
      {
        name: "joiner.int8.onnx",
        sizeBytes: 6_355_277,
        sha256: "3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3",
      },
      {
        name: "tokens.txt",
        sizeBytes: 93_939,
        sha256: "d58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d",
      },
    ],
  },
  {
    ...nvidia,
    family: "parakeet",
    id: "parakeet-tdt-0.6b-v2",
    name: "Parakeet TDT 0.6b v2",
    licence: creativeCommons,
    created: unixSec("2025-05-01"),
    languages: withRates(english, fleursRates("parakeet-tdt-0.6b-v2")),
    capabilities: { ...noCapabilities, wordTimes: true },
    sources: [
      {
        repository: "csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8",
        revision: "1ab9323565ddb038682214b292f588070a538ce2",
      },
    ],
    files: [
      {
        name: "encoder.int8.onnx",
        sizeBytes: 652_184_296,
        sha256: "a32b12d17bbbc309d0686fbbcc2987b5e9b8333a7da83fa6b089f0a2acd651ab",
      },
      {
        name: "decoder.int8.onnx",
        sizeBytes: 7_257_753,
        sha256: "b6bb64963457237b900e496ee9994b59294526439fbcc1fecf705b31a15c6b4e",
      },
      {
        name: "joiner.int8.onnx",
        sizeBytes: 1_739_080,
        sha256: "7946164367946e7f9f29a122407c3252b680dbae9a51343eb2488d057c3c43d2",
      },
      {
        name: "tokens.txt",
        sizeBytes: 9_384,
        sha256: "ec182b70dd42113aff6c5372c75cac58c952443eb22322f57bbd7f53977d497d",
      },
    ],
  },
  {
    ...nvidia,
    family: "canary",
    id: "canary-180m-flash",
    name: "Canary 180M Flash",
    licence: creativeCommons,
    created: unixSec("2025-03-01"),
    languages: withRates(languagesOf("de en es fr"), fleursRates("canary-180m-flash")),
    capabilities: { ...noCapabilities, translatesTo: ["en", "de", "es", "fr"] },
    sources: [
      {
        repository: "csukuangfj/sherpa-onnx-nemo-canary-180m-flash-en-es-de-fr-int8",
        revision: "9077164e0d3dd1d5353743e89ceaa1d3a770838c",
      },
    ],
    files: [
      {
        name: "encoder.int8.onnx",
        sizeBytes: 132_678_643,
        sha256: "7a75b4e2a5857a6dcc0819503bbe3fad66943db4a3ccf21d3f27c633667d303f",
      },
      {
        name: "decoder.int8.onnx",
        sizeBytes: 74_437_848,
        sha256: "e41a2ab9c0c2fe81a1e8ade5a45fb02a74bc4db7d1f91b89a54a25e2cf79cba2",
      },
      {
        name: "tokens.txt",
        sizeBytes: 53_555,
        sha256: "2dae6fc7815f9640645e0c765522b278ee0cef49b482d91f6913e334628d3e77",
      },
    ],
  },
  {
    kind: "speech-to-text",
    family: "sense-voice",
    ownedBy: "funaudiollm",
    id: "sense-voice-small",
    name: "SenseVoice small",
    licence: {
      name: "FunASR Model License",
      url: "https://github.com/modelscope/FunASR/blob/main/MODEL_LICENSE",
      mustBeAccepted: true,
    },
    created: unixSec("2024-07-17"),
    languages: withRates(languagesOf("en ja ko yue zh"), fleursRates("sensevoice-small")),
    capabilities: { ...noCapabilities, wordTimes: true, languageDetection: true },
    sources: [
      {
        repository: "csukuangfj/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17",
        revision: "2365baeacb507f821a0c8120fcee3d484dba7a07",
      },
    ],
    files: [
      {
        name: "model.int8.onnx",
        sizeBytes: 239_233_841,
        sha256: "c71f0ce00bec95b07744e116345e33d8cbbe08cef896382cf907bf4b51a2cd51",
      },
      {
        name: "tokens.txt",
        sizeBytes: 315_894,
        sha256: "f449eb28dc567533d7fa59be34e2abca8784f771850c78a47fb731a31429a1dc",
      },
    ],
  },
  {
    kind: "speech-to-text",
    family: "zipformer",
    ownedBy: "k2-fsa",
    id: "zipformer-en",
    name: "Zipformer, English",
    licence: { name: "Apache-2.0" },
    created: unixSec("2023-06-26"),
    languages: withRates(english, zipformerRates),
    capabilities: { ...noCapabilities, wordTimes: true },
    sources: [
      {
        repository: "csukuangfj/sherpa-onnx-zipformer-en-2023-06-26",
        revision: "11a70a47ec5fd969c17b8d0818681d222a147781",
      },
    ],
    files: [
      {
        name: "encoder-epoch-99-avg-1.int8.onnx",
        sizeBytes: 68_778_564,
        sha256: "52a48f46c17b19a36fe3927c4d59479bb16eeb2493313ed82c4bf775c2cb8bc8",
      },
      {
        name: "decoder-epoch-99-avg-1.int8.onnx",
        sizeBytes: 1_307_236,
        sha256: "783cd6b23b8db8e14a43804ecf972ae96e71499cce799e334ab95c961800d797",
      },
      {
        name: "joiner-epoch-99-avg-1.int8.onnx",
        sizeBytes: 259_335,
        sha256: "48de5d6467a2ab1e72cb5c4d828330be06524d877bc458118b6a4198ca031357",
      },
      {
        name: "tokens.txt",
        sizeBytes: 5_048,
        sha256: "49e3c2646595fd907228b3c6787069658f67b17377c60aeb8619c4551b2316fb",
      },
    ],
  },
];

// The models that come with the app: their weights are in engines/weights, one folder per id.

import { type CatalogEntry, noCapabilities } from "../../contract/models.ts";
import { english, unixSec, whisperLanguages, withRates } from "./common.ts";
import { fleursRates } from "./fleurs-rates.ts";
import { kokoroLanguages, kokoroVoices } from "../kokoro-voices.ts";

export const shippedCatalog: readonly CatalogEntry[] = [
  {
    id: "moonshine-base",
    kind: "speech-to-text",
    family: "moonshine",
    name: "Moonshine base",
    ownedBy: "useful-sensors",
    licence: { name: "MIT" },
    created: unixSec("2024-10-21"),
    languages: withRates(english, fleursRates("moonshine-base")),
    capabilities: { ...noCapabilities, wordTimes: true },
    sources: [],
    files: [
      {
        name: "encoder_model.onnx",
        sizeBytes: 21_171_485,
        sha256: "05404efc3d3d032f7d25821f3405aed6736f1aaf0434faad0ab89465de2fc4d7",
      },
      {
        name: "cross_model.onnx",
        sizeBytes: 2_808_838,
        sha256: "095e297dfdf76942c954bb819ec35b632857db188e917bdd93f519913cad1239",
      },
      {
        name: "decoder_model.onnx",
        sizeBytes: 39_060_830,
        sha256: "b6401fad9c10322a6797d05cbcd80814a35882d9979c076b78bbfd3d173bef1d",
      },
      {
        name: "vocabulary.json",
        sizeBytes: 307_260,
        sha256: "608ca83fc874507e0ff72d0505dc39d9cc95b100e0ce979dbc1625aedd94b532",
      },
    ],
  },
  {
    id: "whisper-base",
    kind: "speech-to-text",
    family: "whisper",
    name: "Whisper base",
    ownedBy: "openai",
    licence: { name: "MIT" },
    created: unixSec("2022-09-21"),
    languages: withRates(whisperLanguages, fleursRates("whisper-base")),
    capabilities: {
      wordTimes: true,
      languageDetection: true,
      prompt: true,
      streaming: false,
      translatesTo: ["en"],
    },
    sources: [],
    batchMaxSec: 20,
    singlePassMaxSec: 30,
    files: [
      {
        name: "config.json",
        sizeBytes: 1_150,
        sha256: "3dfb6dad30fdbea39958bc897b30fd0824a5a2134d8d07409341dd77cfdc81fb",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_766,
        sha256: "a274a280fc95e36bcf226ad66ef3c5b4385ffc7426dd5b679e8279fe6c5c3e6b",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_425,
        sha256: "237f97eeb9aea11cf3d389f9c54ac8702900452fec501bd36dc8938693b8d642",
      },
      {
        name: "onnx/encoder_model_any_length.onnx",
        sizeBytes: 23_029_598,
        sha256: "9bb2bde5f3a9ff83a223b0d82661fa3cc7cd4cd87cbb5d5c2855b0a825f8e5cc",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 55_931_316,
        sha256: "6c17842785adf78be81ea80eb3fc742a1a873385d9472e583375017e55f38483",
      },
    ],
  },
  {
    id: "hibari",
    kind: "text-to-speech",
    family: "hibari",
    name: "Hibari",
    ownedBy: "maureese-williams",
    licence: { name: "Apache-2.0" },
    created: unixSec("2026-01-01"),
    languages: english,
    capabilities: noCapabilities,
    sources: [],
    files: [
      {
        name: "hibari.onnx",
        sizeBytes: 7_936_868,
        sha256: "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
      },
      {
        name: "vocab.json",
        sizeBytes: 1_144,
        sha256: "70abefbe8a1c8865e43e0a43bbdc25b91a33e4aa053479d443ccf23e20a59e5d",
      },
      {
        name: "lexicon_us_gold.json.gz",
        sizeBytes: 719_352,
        sha256: "63ae94f8ef0e906d5b24fe9b59ffcbd1529aca5686a774610e43973cbaa86ad2",
      },
      {
        name: "lexicon_us_silver.json.gz",
        sizeBytes: 682_530,
        sha256: "c4c2546ebf1eb07010331e7ef785a431aa17ba8e7bfb6b4af8d654ee96a71fd3",
      },
      {
        name: "tagger.json.gz",
        sizeBytes: 1_240_667,
        sha256: "d2da7502284bbbe45d49e0b7ce3ce67bdab82254150f4317f1b8559b4d38d0eb",
      },
      {
        name: "oov.onnx",
        sizeBytes: 2_975_020,
        sha256: "d3cfd8122c5f172a98c8de38268bf1213ee09f2c2ae4df6e055fc6532590fe76",
      },
      {
        name: "oov.json",
        sizeBytes: 2_273,
        sha256: "b462e6e5dbdf0e7346c732385d0dd844f612f1770871441c56932bff4ca75d8c",
      },
    ],
  },
  {
    id: "kokoro",
    kind: "text-to-speech",
    family: "kokoro-compact",
    name: "Kokoro",
    ownedBy: "hexgrad",
    licence: { name: "Apache-2.0" },
    created: unixSec("2025-01-27"),
    languages: kokoroLanguages,
    capabilities: noCapabilities,
    sources: [],
    voices: kokoroVoices,
    uses: "hibari",
    memoryBytes: 700e6,
    files: [
      {
        name: "kokoro.onnx",
        sizeBytes: 91_732_067,
        sha256: "e586d438c222c6cb2b9fa5ee7a798fb38435710d08170f7f3fd75ec0f6e790ca",
      },
      {
        name: "graph.onnx",
        sizeBytes: 1_312_151,
        sha256: "ec4edf00575269c9f6bf8eb35b3972e766bfd56119c4e08b0fc56fc3facfc8a9",
      },
      {
        name: "voices.bin",
        sizeBytes: 10_705_920,
        sha256: "a63822769df01d1bd771aa53bc7a94b478be6f70894ada2016c83f4d4bc66392",
      },
      {
        name: "lexicon_gb_gold.json.gz",
        sizeBytes: 715_192,
        sha256: "5c3ca11df07e8de01febe1972509148eb2ac31fd07ecd6c121b908426c9a0eb0",
      },
      {
        name: "lexicon_gb_silver.json.gz",
        sizeBytes: 815_547,
        sha256: "b3637583bbc3c99cfebd17a7d9777f9d9562f28f64a967148a06645de7af6c45",
      },
    ],
  },
  {
    id: "silero-vad",
    kind: "voice-activity",
    family: "silero",
    name: "Silero VAD 6",
    ownedBy: "silero-team",
    licence: { name: "MIT" },
    created: unixSec("2025-08-26"),
    languages: [],
    capabilities: noCapabilities,
    sources: [],
    files: [
      {
        name: "silero_vad_v6_sequence.onnx",
        sizeBytes: 1_162_087,
        sha256: "01a3423a002efd80628b8e4ae4492dc1652ac793299088d39294ed3d2d241275",
      },
    ],
  },
  {
    id: "pyannote-community-1",
    kind: "diarization",
    family: "pyannote",
    name: "Pyannote community-1",
    ownedBy: "pyannote",
    licence: { name: "CC-BY-4.0" },
    created: unixSec("2025-09-29"),
    languages: [],
    capabilities: noCapabilities,
    sources: [],
    files: [
      {
        name: "segmentation-community-1.ort",
        sizeBytes: 1_594_080,
        sha256: "9715e3996ef181252aa1cc0c9398060f42b2c984c2fb65e3604262555e2efb1a",
      },
      {
        name: "embedding-resnet34-int8.ort",
        sizeBytes: 6_975_920,
        sha256: "6e4af7d49562e6e7042672e444d6394935cb2c23c3a7dd4919da45922b91735b",
      },
    ],
  },
];

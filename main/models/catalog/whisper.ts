// Whisper in the layout of the model hub, 8 bits unless a name tells otherwise. Repositories named `_timestamped` have
// the graphs that word times need.

import type { CatalogEntry, ModelCapabilities } from "../../contract/models.ts";
import { english, unixSec, whisperLanguages, withRates } from "./common.ts";
import { fleursRates } from "./fleurs-rates.ts";

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

/** The third vocabulary brought Cantonese. */
const turboLanguages = withRates(
  [...whisperLanguages, { code: "yue" }],
  fleursRates("whisper-large-v3-turbo"),
);

/** Of the weights that know English only. */
const englishCapabilities: ModelCapabilities = {
  ...capabilities,
  languageDetection: false,
  translatesTo: [],
};

export const whisperCatalog: readonly CatalogEntry[] = [
  {
    ...whisper,
    id: "whisper-tiny",
    name: "Whisper tiny",
    languages: withRates(whisperLanguages, fleursRates("whisper-tiny")),
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
    id: "whisper-tiny.en",
    name: "Whisper tiny, English",
    languages: withRates(english, fleursRates("whisper-tiny.en")),
    capabilities: englishCapabilities,
    sources: [
      {
        repository: "onnx-community/whisper-tiny.en",
        revision: "2575352d61be1bf7225cf8f8b268a4678025fc58",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_197,
        sha256: "251ea843b5901a99efa58c0b99b8052c6019aa3e7d2baf46693a1128ff606233",
      },
      {
        name: "generation_config.json",
        sizeBytes: 1_646,
        sha256: "7b2e8451ed5f118e75fdd991409d72119d21d2fef1eba9723f68fb9c57fe5dc9",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_405_679,
        sha256: "5eb60cec1e77aeeb6869a2bb5a8e01a84c3fe5d072d75369343021fe6f5310d0",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 10_124_993,
        sha256: "e93ec822f16a8fd264e7de972ad17d615ea7334b75a52d54c50c2e18dd503a25",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 30_718_858,
        sha256: "c0592d0749413c960569e1c7fb806b060d5d18f3ebad4a95cbf9a77dc6e9be52",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-base-timestamped",
    name: "Whisper base (hub build)",
    languages: withRates(whisperLanguages, fleursRates("whisper-base")),
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
    id: "whisper-base.en",
    name: "Whisper base, English",
    languages: withRates(english, fleursRates("whisper-base.en")),
    capabilities: englishCapabilities,
    sources: [
      {
        repository: "Xenova/whisper-base.en",
        revision: "95bf40a508535962c6483ead40270b2e32267508",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_202,
        sha256: "5c390f2c6ba84ddeb7e362cd8b2123832911407850174e64d7081ccc36df2d64",
      },
      {
        name: "generation_config.json",
        sizeBytes: 1_500,
        sha256: "1e57ed56ad1bd7f08a49ece7fe7daada674573805a35f8bdbbe68380aab5b1ee",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_128_494,
        sha256: "c6ee8f089220a5b1188f6426456772572671c6141ae007eecb83c6a8349f5deb",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 23_200_856,
        sha256: "d0d4e59e2842617b39787cece73d7e8f76f99b1697d3386c0e682eca2269f4a1",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 53_707_027,
        sha256: "a25afc5858a20aabb7652cb2d555996ebe10691a69bbdb423d5073d52f060325",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-small",
    name: "Whisper small",
    languages: withRates(whisperLanguages, fleursRates("whisper-small")),
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
  {
    ...whisper,
    id: "whisper-medium",
    name: "Whisper medium",
    languages: withRates(whisperLanguages, fleursRates("whisper-medium")),
    capabilities: capabilities,
    sources: [
      {
        repository: "Xenova/whisper-medium",
        revision: "8c5b90880ab9f79487ab33613413431bf661d595",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 2_256,
        sha256: "a9c2ef0290a8fa3d203231dd01a074891b7f595d5d305ead2aac8ac5e6e47105",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_694,
        sha256: "c57f39da43ff86f60451a1c978743ca48fd995ac5d7e3c3534f856d0bed57770",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_466,
        sha256: "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 313_468_028,
        sha256: "7d6b4a00e441271646327f8a71b6e1bd1a305013cd914b51ddd76919c59ee3af",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 462_661_606,
        sha256: "2cdd6d06ebdf9d993d21117bfeeb7e9b399521b7766d3df77c54a85d6dcf3c08",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-large-v3-turbo",
    name: "Whisper large v3 turbo",
    created: unixSec("2024-10-01"),
    languages: turboLanguages,
    capabilities: { ...capabilities, wordTimes: true, translatesTo: [] },
    sources: [
      {
        repository: "onnx-community/whisper-large-v3-turbo_timestamped",
        revision: "b3f77bf9a8c4d5ea3415827033d1ffea7955fd9a",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 1_330,
        sha256: "32c02d1dfb9a93ff236cdcf0f741f8f3a4cedb437c407a361a022451ac009131",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_797,
        sha256: "8568ddf83476167b4607014956b87142763fa6923e71259a606734beb39bdfc8",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_645,
        sha256: "b3c8202bbf06d8ee4232c5984baa563784ac4737e2e7fdc42fa180200d3cfcdb",
      },
      {
        name: "onnx/encoder_model_quantized.onnx",
        sizeBytes: 644_883_359,
        sha256: "a5bece0f99f86b5fed85e59b6b23299500639b283a0a6e00098e6583ed1baeb8",
      },
      {
        name: "onnx/decoder_model_merged_quantized.onnx",
        sizeBytes: 439_997_434,
        sha256: "b4ab1c92a9bcf8c8fdc49deacb57ac51b707d5248bc7868af42371b896c3ae52",
      },
    ],
  },
  {
    ...whisper,
    id: "whisper-large-v3-turbo-q4",
    name: "Whisper large v3 turbo, 4 bits",
    created: unixSec("2024-10-01"),
    languages: turboLanguages,
    capabilities: { ...capabilities, translatesTo: [] },
    sources: [
      {
        repository: "onnx-community/whisper-large-v3-turbo",
        revision: "360ebcde2559d60bb474678be3c1de9ef347d01a",
      },
    ],
    files: [
      {
        name: "config.json",
        sizeBytes: 1_332,
        sha256: "35cd83669f75bc2867f3b3a4461850392d5e308cd6ea951c3700539883c28df1",
      },
      {
        name: "generation_config.json",
        sizeBytes: 3_897,
        sha256: "16f95291d2f47c944d3c2b19390bba7965666555c1ea2a0bdc850d1fab45612f",
      },
      {
        name: "tokenizer.json",
        sizeBytes: 2_480_617,
        sha256: "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca",
      },
      {
        name: "onnx/encoder_model_q4.onnx",
        sizeBytes: 424_942_775,
        sha256: "7e64b20dd7b556cb7a2c1c65d9fbf31af985323c006f993d2a9dd10083547d78",
      },
      {
        name: "onnx/decoder_model_merged_q4.onnx",
        sizeBytes: 334_147_222,
        sha256: "8b933ac24074a24a1635084d06a4ed37e387ef22d980f184a5fc27418e9ceeb8",
      },
    ],
  },
];

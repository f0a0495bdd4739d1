// Moonshine, second generation, as exported for sherpa-onnx. Base for Korean is not listed until the checksums of all
// its files are known.

import { type CatalogEntry, type ModelLicence, noCapabilities } from "../../contract/models.ts";
import { unixSec, withRates } from "./common.ts";

const licenceUrl = "https://github.com/moonshine-ai/moonshine/blob/main/LICENSE";
const mit: ModelLicence = { name: "MIT", url: licenceUrl };
/** Of all but the English models: free for companies below a yearly revenue that it states. */
const community: ModelLicence = {
  name: "Moonshine Community License",
  url: licenceUrl,
  mustBeAccepted: true,
};

const ratesUrl =
  "https://github.com/moonshine-ai/moonshine/blob/main/docs/models/available-models.md";
/** Of the weights in full precision: the mean of eight test sets. */
const englishTest = { testSet: "Open ASR Leaderboard", url: ratesUrl };
const otherTest = {
  testSet: "FLEURS, Moonshine",
  url: ratesUrl,
  inCharacters: ["ar", "ja", "ko", "zh"],
};
type MoonshineExport = {
  size: "tiny" | "base";
  language: string;
  /** After the size. */
  name?: string;
  revision: string;
  /** Errors as its makers publish them, in percent; Japanese tiny was not measured. */
  errors?: number;
  encoder: readonly [sizeBytes: number, sha256: string];
  decoder: readonly [sizeBytes: number, sha256: string];
  tokens?: readonly [sizeBytes: number, sha256: string];
};

const sharedTokens = [
  549_350,
  "2870d843e14c1e187bf1913a521562a63b53933814bd7f2145120468f494a049",
] as const;

function moonshine({
  size,
  language,
  name,
  revision,
  errors,
  encoder,
  decoder,
  tokens = sharedTokens,
}: MoonshineExport): CatalogEntry {
  const isEnglish = language === "en";
  return {
    kind: "speech-to-text",
    family: "moonshine-v2",
    ownedBy: "useful-sensors",
    id: `moonshine-v2-${size}${isEnglish ? "" : `-${language}`}`,
    name: `Moonshine v2 ${size}${name === undefined ? "" : `, ${name}`}`,
    licence: isEnglish ? mit : community,
    created: unixSec("2026-02-27"),
    languages: withRates([{ code: language }], {
      ...(isEnglish ? englishTest : otherTest),
      percent: errors === undefined ? {} : { [language]: errors },
    }),
    capabilities: noCapabilities,
    sources: [
      {
        repository: `csukuangfj2/sherpa-onnx-moonshine-${size}-${language}-quantized-2026-02-27`,
        revision,
      },
    ],
    files: [
      { name: "encoder_model.ort", sizeBytes: encoder[0], sha256: encoder[1] },
      { name: "decoder_model_merged.ort", sizeBytes: decoder[0], sha256: decoder[1] },
      { name: "tokens.txt", sizeBytes: tokens[0], sha256: tokens[1] },
    ],
  };
}

export const moonshineCatalog: readonly CatalogEntry[] = [
  moonshine({
    size: "tiny",
    language: "en",
    revision: "d1e6c30921780b8508d04b492dfb3ce8a51605d4",
    errors: 12.66,
    encoder: [13_281_600, "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221"],
    decoder: [30_412_256, "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0"],
  }),
  moonshine({
    size: "base",
    language: "en",
    revision: "8f4d6c58c03d40bcea40043bb7120a878f2bbef6",
    errors: 10.07,
    encoder: [31_326_816, "7c66495948d0d08ec1af454cd4b5514862ae6511e94712a60e6d83eaec8dc8cf"],
    decoder: [109_424_400, "d9d7b333af34bc552580576ddcf248a1c6c839e0d3b43b09afb9376ed009899d"],
  }),
  moonshine({
    size: "base",
    language: "ar",
    name: "Arabic",
    revision: "00c1062f1b70e4da96658486f4fd79552d8bc22b",
    errors: 5.63,
    encoder: [31_326_824, "68e50ebe0317ce909f098044a5dda2a76e6b86dc882829a317771fbafc5826ae"],
    decoder: [109_424_552, "8f272cb50818e28ad86bbffc21e1450a4d57155e95f099ca6a236f38f4d9eafb"],
  }),
  moonshine({
    size: "base",
    language: "zh",
    name: "Chinese",
    revision: "19042e30b8680b101d0db3b0b8cabc84ae954b7f",
    errors: 25.76,
    encoder: [31_326_816, "c725a24b58595905921ea2a47e2bcf0f18c78f4d171d96136f2dcbc8c77a58a6"],
    decoder: [109_424_520, "bf79fce626e123739ec37eceb2b2a010a93d720da266dd5d8ef9a47ef9a7dc36"],
  }),
  moonshine({
    size: "tiny",
    language: "ja",
    name: "Japanese",
    revision: "550e2eb0a8b33092f3b394f64649ee1b3d9eb506",
    encoder: [13_238_184, "86ece73812604b9b5f1274b4d1e6eec0d783b96088ff46d49e30a53f881cad73"],
    decoder: [58_327_272, "9fcd9b71323a496b307e20dd305c4e9a1b533c7bedd6e4f660e974967dd60bb6"],
  }),
  moonshine({
    size: "base",
    language: "ja",
    name: "Japanese",
    revision: "cf95fc9c3a55a240892c80c501e80b35603d20bc",
    errors: 13.62,
    encoder: [31_326_816, "3230cafb84d5f08800e60de6f932aad7c69c649a37fa6997fe04fe25f808b56b"],
    decoder: [109_424_424, "35a522052d2d8695d0dd2870666f088d633111e08cfbed0418f61c4122b4ba25"],
  }),
  moonshine({
    size: "tiny",
    language: "ko",
    name: "Korean",
    revision: "3f2e79d6fe04ae0009fcb150a035586c12ac742f",
    errors: 6.46,
    encoder: [13_238_176, "947260d46252f48eada86a34986b3f70c01d68a343959949a77375b94debd055"],
    decoder: [58_327_336, "95aa9f2e764b80625d2889d6ec9f05c965808e540ac50c16abd10c7ea33fe44b"],
  }),
  moonshine({
    size: "base",
    language: "es",
    name: "Spanish",
    revision: "59e235a505b7372eb7f896471a74c776f6f6e061",
    errors: 4.33,
    encoder: [20_964_320, "331aafa2fc7f7e55ba28376eef08eaf919ae105bb719cd64ba6875505dca72b3"],
    decoder: [43_612_200, "8e6513ad66a3a71ca86824746a09051eeb60468940eaf8201ce758e8919e2b5d"],
    tokens: [532_090, "c6e35883ba038f70ceea8b4a21cf79742adbda7e6730cbff27460857e0667a02"],
  }),
  moonshine({
    size: "base",
    language: "uk",
    name: "Ukrainian",
    revision: "336649c4c1cd81d066c586163381fe8bb65d9145",
    errors: 14.55,
    encoder: [31_326_816, "ea37ff7a2c308b566def1fd6e6860e23db4968590f192d5cc0fbc494666e30f9"],
    decoder: [109_424_424, "2c0c1ebc20ba75a21ff5315fd039e53d2fc9ba77a9ca9ad3bc4c7c1c1de93cbc"],
  }),
  moonshine({
    size: "base",
    language: "vi",
    name: "Vietnamese",
    revision: "2946c5272fcb2d92f5cd99edb6e828c66be94f2e",
    errors: 8.82,
    encoder: [31_326_816, "5a63cf0e248ef463776fbad50784813b4185eb73136f1fb062c5722e667130dc"],
    decoder: [109_424_520, "0a4f007e9d585348d94124d8de47f7aefbc3e2d3fa44152646af7b94c639770d"],
  }),
];

// Piper voices: each is a model of its own, with a licence of its own, which its model card names.

import { type CatalogEntry, type ModelLicence, noCapabilities } from "../../contract/models.ts";
import { unixSec } from "./common.ts";

const repository = "rhasspy/piper-voices";
const revision = "c10ece1aade47bb51c153c893d14e5bf8e5b7117";

type PiperVoice = {
  locale: string;
  speaker: string;
  quality: "medium" | "high";
  name: string;
  character: string;
  gender: "female" | "male";
  /** Without `url`: that is the model card. */
  licence: ModelLicence;
  model: readonly [sizeBytes: number, sha256: string];
  config: readonly [sizeBytes: number, sha256: string];
};

/** Only its model card tells. */
const unknownLicence: ModelLicence = { name: "see model card", mustBeAccepted: true };

function piper({ locale, speaker, quality, model, config, ...voice }: PiperVoice): CatalogEntry {
  const [language = "", region = ""] = locale.split("_");
  const folder = `${language}/${locale}/${speaker}/${quality}`;
  const modelName = `${locale}-${speaker}-${quality}.onnx`;
  const configName = `${modelName}.json`;
  const url = `https://huggingface.co/${repository}/blob/${revision}/${folder}/MODEL_CARD`;
  return {
    id: `piper-${language}-${speaker.replaceAll("_", "-")}-${quality}`,
    kind: "text-to-speech",
    family: "piper",
    name: `Piper ${voice.name}, ${quality} quality`,
    ownedBy: "rhasspy",
    licence: { url, ...voice.licence },
    created: unixSec("2023-11-14"),
    languages: [{ code: language }],
    capabilities: noCapabilities,
    voices: [
      {
        id: speaker,
        name: voice.name,
        character: voice.character,
        language,
        region,
        gender: voice.gender,
      },
    ],
    sources: [
      {
        repository,
        revision,
        paths: {
          [modelName]: `${folder}/${modelName}`,
          [configName]: `${folder}/${configName}`,
        },
      },
    ],
    files: [
      { name: modelName, sizeBytes: model[0], sha256: model[1] },
      { name: configName, sizeBytes: config[0], sha256: config[1] },
    ],
  };
}

export const piperCatalog: readonly CatalogEntry[] = [
  piper({
    locale: "de_DE",
    speaker: "thorsten",
    quality: "medium",
    name: "Thorsten",
    character: "German man",
    gender: "male",
    licence: { name: "CC0-1.0" },
    model: [63_201_294, "7e64762d8e5118bb578f2eea6207e1a35a8e0c30595010b666f983fc87bb7819"],
    config: [4_819, "974adee790533adb273a1ac88f49027d2a1b8f0f2cf4905954a4791e79264e85"],
  }),
  piper({
    locale: "de_DE",
    speaker: "thorsten",
    quality: "high",
    name: "Thorsten",
    character: "German man",
    gender: "male",
    licence: { name: "CC0-1.0" },
    model: [113_895_201, "9df1c43c61149ef9b39e618e2b861fbe41e1fcea9390b2dac62e8761573ea4f1"],
    config: [4_875, "6de734444e4c3f9e33b7ebe2746dbc19b71e85f613e79c65acf623200b99a76a"],
  }),
  piper({
    locale: "fr_FR",
    speaker: "siwis",
    quality: "medium",
    name: "Siwis",
    character: "French woman",
    gender: "female",
    licence: { name: "CC-BY-4.0" },
    model: [63_201_294, "641d1ab097da2b81128c076810edb052b385decc8be3381814802a64a73baf99"],
    config: [4_875, "39479916c2db192b5ac9764daddd0c744d83e023ad890c6976c0633ae4df8959"],
  }),
  piper({
    locale: "it_IT",
    speaker: "paola",
    quality: "medium",
    name: "Paola",
    character: "Italian woman",
    gender: "female",
    licence: { name: "CC0-1.0" },
    model: [63_511_038, "6fc918b5a0ea6137382833dddfa567bffbe6a5060c02043c87192ee59c04210c"],
    config: [7_099, "aea19c0a7fce29fbc359b93f10e7902854401e4c95ae2ea328ae516b15d296cf"],
  }),
  piper({
    locale: "sl_SI",
    speaker: "artur",
    quality: "medium",
    name: "Artur",
    character: "Slovene man",
    gender: "male",
    licence: { name: "CC-BY-4.0" },
    model: [63_200_492, "9222ed93ef425524ad4be0b083369af8ea8db18455576a6016b154192f4ed38c"],
    config: [4_970, "741283430f1fa2be5c61717c6f1fe795a7b9f537491927340dd12f90f3b3cc04"],
  }),
  piper({
    locale: "es_ES",
    speaker: "davefx",
    quality: "medium",
    name: "Davefx",
    character: "Spanish man",
    gender: "male",
    licence: unknownLicence,
    model: [63_201_294, "6658b03b1a6c316ee4c265a9896abc1393353c2d9e1bca7d66c2c442e222a917"],
    config: [4_817, "0e0dda87c732f6f38771ff274a6380d9252f327dca77aa2963d5fbdf9ec54842"],
  }),
  piper({
    locale: "ar_JO",
    speaker: "kareem",
    quality: "medium",
    name: "Kareem",
    character: "Arabic man",
    gender: "male",
    licence: unknownLicence,
    model: [63_201_294, "9e95cab07b679da603bba17c4dec7ab3111320571964ee95c0379603c086491e"],
    config: [5_024, "ea6d9b9d9076dbdb6bf5c98c6a141ef154959d2359709b37855727964e7d6c4d"],
  }),
  piper({
    locale: "en_GB",
    speaker: "northern_english_male",
    quality: "medium",
    name: "Northern English",
    character: "British man",
    gender: "male",
    licence: { name: "CC-BY-SA-4.0" },
    model: [63_201_294, "57a219ae8e638873db7d18893304be5069c42868f392bb95c3ff17f0690d0689"],
    config: [4_847, "69557ed3d974463453e9b0c09dd99a7ed0e52b8b87b64b357dbeeb2540a97d47"],
  }),
  piper({
    locale: "en_US",
    speaker: "lessac",
    quality: "medium",
    name: "Lessac",
    character: "American woman",
    gender: "female",
    licence: { name: "Blizzard 2013 Lessac", mustBeAccepted: true },
    model: [63_201_294, "5efe09e69902187827af646e1a6e9d269dee769f9877d17b16b1b46eeaaf019f"],
    config: [4_885, "efe19c417bed055f2d69908248c6ba650fa135bc868b0e6abb3da181dab690a0"],
  }),
];

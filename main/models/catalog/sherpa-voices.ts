// Voices of Kitten TTS and Matcha in the layout of sherpa-onnx.

import { type CatalogEntry, type ModelVoice, noCapabilities } from "../../contract/models.ts";
import { english, languagesOf, unixSec } from "./common.ts";

/** By the speaker's name in the graph. */
const kittenVoice = (id: string, name: string): ModelVoice => {
  const isMale = id.endsWith("m");
  return {
    id,
    name,
    character: isMale ? "American man" : "American woman",
    language: "en",
    region: "US",
    gender: isMale ? "male" : "female",
  };
};

const matchaBaker = {
  repository: "csukuangfj/matcha-icefall-zh-baker",
  names: ["model-steps-3.onnx", "tokens.txt", "lexicon.txt", "phone.fst", "date.fst", "number.fst"],
};

export const sherpaVoiceCatalog: readonly CatalogEntry[] = [
  {
    kind: "text-to-speech",
    family: "kitten",
    ownedBy: "kittenml",
    id: "kitten-nano-q8",
    name: "Kitten nano 0.8, 8 bits",
    licence: { name: "Apache-2.0" },
    created: unixSec("2026-02-19"),
    languages: english,
    capabilities: noCapabilities,
    voices: [
      kittenVoice("expr-voice-2-m", "Jasper"),
      kittenVoice("expr-voice-2-f", "Bella"),
      kittenVoice("expr-voice-3-m", "Bruno"),
      kittenVoice("expr-voice-3-f", "Luna"),
      kittenVoice("expr-voice-4-m", "Hugo"),
      kittenVoice("expr-voice-4-f", "Rosie"),
      kittenVoice("expr-voice-5-m", "Leo"),
      kittenVoice("expr-voice-5-f", "Kiki"),
    ],
    sources: [
      {
        repository: "csukuangfj2/kitten-nano-en-v0_8-int8",
        revision: "90dfe12687f7822a90e5afc5931b536ba6caf22a",
      },
    ],
    files: [
      {
        name: "model.int8.onnx",
        sizeBytes: 24_370_878,
        sha256: "0ba1e21eda9c8bcc4a70ada7e0d27fefc9ba775aaa037547248ec71f9a3d9b7d",
      },
      {
        name: "voices.bin",
        sizeBytes: 3_276_800,
        sha256: "d520519c4a3519d44fcfcd943ed0b1e3c5da5cee0eea501d922fac1a93cd24dc",
      },
      {
        name: "tokens.txt",
        sizeBytes: 1_064,
        sha256: "934a4188addc7665dd3410256bb622169242357fbb99d840d9351209b486dabb",
      },
    ],
  },
  {
    kind: "text-to-speech",
    family: "matcha",
    ownedBy: "k2-fsa",
    id: "matcha-zh-baker",
    name: "Matcha Baker",
    licence: {
      name: "Data-Baker, non-commercial",
      url: `https://huggingface.co/${matchaBaker.repository}`,
      mustBeAccepted: true,
    },
    created: unixSec("2024-12-31"),
    languages: languagesOf("zh"),
    capabilities: noCapabilities,
    voices: [
      {
        id: "baker",
        name: "Baker",
        character: "Chinese woman",
        language: "zh",
        region: "CN",
        gender: "female",
      },
    ],
    sources: [
      {
        repository: matchaBaker.repository,
        revision: "75e64a57a80fb370abb18a4e4d86bb090ed46e93",
        paths: Object.fromEntries(matchaBaker.names.map((name) => [name, name])),
      },
      {
        repository: "k2-fsa/sherpa-onnx-models",
        revision: "6eebd0a85f1be93dd7e9bdb461efbdff6d193f04",
        paths: { "vocos-22khz-univ.onnx": "vocoder-models/vocos-22khz-univ.onnx" },
      },
    ],
    files: [
      {
        name: "model-steps-3.onnx",
        sizeBytes: 75_624_611,
        sha256: "ef7ebdf5987e16a5836136a51d6f3560ca997ffd33d06a40daab5af92b4b86e5",
      },
      {
        name: "vocos-22khz-univ.onnx",
        sizeBytes: 53_884_024,
        sha256: "0574a135aa1db2de6e181050db2ec528496cacd4a4701fc5d7faf9f9804c0081",
      },
      {
        name: "tokens.txt",
        sizeBytes: 19_591,
        sha256: "56209b2bf609d5ac1d66ede6dae7bf5254bd3f8aa24c4a6823713d5b884d87ba",
      },
      {
        name: "lexicon.txt",
        sizeBytes: 1_363_705,
        sha256: "38b886d46aefa50da6322a64d72fd595d5f4fae1051adb160d647541b1e0a4a2",
      },
      {
        name: "phone.fst",
        sizeBytes: 88_630,
        sha256: "1ac2b6fa56b1442320c4de7db08353bab8963a2b57f365eebcdd3a2d3562f8d7",
      },
      {
        name: "date.fst",
        sizeBytes: 59_154,
        sha256: "eb8aa079ae3cb81d8f4404992f39d61a0cb990947512b5b8d1e54d1f6980e718",
      },
      {
        name: "number.fst",
        sizeBytes: 64_482,
        sha256: "743f402181fcfebf76cc2f0546b71fa26476e626fbe4e460fb7b4c3a7a8bd5bd",
      },
    ],
  },
];

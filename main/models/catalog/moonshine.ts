// Moonshine, second generation, as exported for sherpa-onnx. The models for other languages than English are not listed
// until the checksums of all their files are known.

import type { CatalogEntry } from "../../contract/models.ts";
import { english, noCapabilities, unixSec } from "./common.ts";

const moonshine = {
  kind: "speech-to-text",
  family: "moonshine-v2",
  ownedBy: "useful-sensors",
} as const;
const licence = {
  name: "MIT",
  url: "https://github.com/moonshine-ai/moonshine/blob/main/LICENSE",
};

export const moonshineCatalog: readonly CatalogEntry[] = [
  {
    ...moonshine,
    id: "moonshine-v2-tiny",
    name: "Moonshine v2 tiny",
    licence: licence,
    created: unixSec("2026-02-27"),
    languages: english,
    capabilities: noCapabilities,
    sources: [
      {
        repository: "csukuangfj2/sherpa-onnx-moonshine-tiny-en-quantized-2026-02-27",
        revision: "d1e6c30921780b8508d04b492dfb3ce8a51605d4",
      },
    ],
    files: [
      {
        name: "encoder_model.ort",
        sizeBytes: 13_281_600,
        sha256: "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
      },
      {
        name: "decoder_model_merged.ort",
        sizeBytes: 30_412_256,
        sha256: "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
      },
      {
        name: "tokens.txt",
        sizeBytes: 549_350,
        sha256: "2870d843e14c1e187bf1913a521562a63b53933814bd7f2145120468f494a049",
      },
    ],
  },
  {
    ...moonshine,
    id: "moonshine-v2-base",
    name: "Moonshine v2 base",
    licence: licence,
    created: unixSec("2026-02-27"),
    languages: english,
    capabilities: noCapabilities,
    sources: [
      {
        repository: "csukuangfj2/sherpa-onnx-moonshine-base-en-quantized-2026-02-27",
        revision: "8f4d6c58c03d40bcea40043bb7120a878f2bbef6",
      },
    ],
    files: [
      {
        name: "encoder_model.ort",
        sizeBytes: 31_326_816,
        sha256: "7c66495948d0d08ec1af454cd4b5514862ae6511e94712a60e6d83eaec8dc8cf",
      },
      {
        name: "decoder_model_merged.ort",
        sizeBytes: 109_424_400,
        sha256: "d9d7b333af34bc552580576ddcf248a1c6c839e0d3b43b09afb9376ed009899d",
      },
      {
        name: "tokens.txt",
        sizeBytes: 549_350,
        sha256: "2870d843e14c1e187bf1913a521562a63b53933814bd7f2145120468f494a049",
      },
    ],
  },
];

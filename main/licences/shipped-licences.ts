// Licences of everything the app ships: packages it loads, as far as installed on this platform, libraries compiled
// into them, and model weights. Not of build, test and packaging tools.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { type AppInfo, appInfo } from "../contract/window-api.ts";
import { listLoadedPackages } from "./installed-packages.ts";
import { shippedCatalog } from "../models/catalog/shipped.ts";

type Licences = AppInfo["licences"];

const projectDir = join(import.meta.dirname, "..", "..");

/** Packages whose code is in the app or in its page: all except Vite, which builds the page. */
export const shippedDependencies = Object.keys(packageJson.dependencies).filter(
  (name) => name !== "vite",
);

/** A package description may start with an emoji. */
const leadingEmoji = /^\p{Extended_Pictographic}\uFE0F?\s*/u;

/** Libraries inside packages that have another licence themselves. */
const bundledLibraries: Licences = [
  {
    name: "FFmpeg",
    licence: "GPL-3.0-or-later",
    what: "decoding, encoding and filtering of sound; part of node-av",
  },
  {
    name: "ONNX Runtime",
    licence: "MIT",
    what: "runs the models; part of onnxruntime-node and sherpa-onnx-node",
  },
  { name: "PDF.js", licence: "Apache-2.0", what: "reads PDFs, by Mozilla; part of unpdf" },
  {
    name: "eSpeak NG",
    licence: "GPL-3.0-or-later",
    what: "pronunciations for voices; part of sherpa-onnx-node and @echogarden/espeak-ng-emscripten",
  },
];

/**
 * Google declares the whole data set to be under CC BY 4.0; Meta's FLoRes-101, where its sentences are from, is not.
 */
const measuringClips: Licences[number] = {
  name: "FLEURS recordings",
  licence: "CC-BY-4.0, sentences CC-BY-SA-4.0",
  what:
    "ten clips with their texts, to measure models; part of FLEURS (Conneau and others, Google, 2022), " +
    "https://huggingface.co/datasets/google/fleurs, https://creativecommons.org/licenses/by/4.0/, with sentences of " +
    "FLoRes-101 (Meta), https://creativecommons.org/licenses/by-sa/4.0/; converted to Opus, with capitals and " +
    "punctuation added to the texts",
};

const partsOfVoices: Licences = [
  {
    name: "misaki",
    licence: "Apache-2.0",
    what: "pronunciations of English words, by hexgrad, https://github.com/hexgrad/misaki; part of Hibari and Kokoro",
  },
  {
    name: "SIWIS French Speech Synthesis Database",
    licence: "CC-BY-4.0",
    what:
      "recordings of Kokoro's French voice, not included, by P.-E. Honnet, A. Lazaridis, P. N. Garner and " +
      "J. Yamagishi, https://datashare.ed.ac.uk/handle/10283/2353, https://creativecommons.org/licenses/by/4.0/; " +
      "made part of a model",
  },
];

let shipped: Promise<Licences> | undefined;

/** As `readShippedLicences`, read once. */
export const shippedLicences = (): Promise<Licences> =>
  (shipped ??= readShippedLicences().catch((error: unknown) => {
    shipped = undefined;
    throw error;
  }));

/** Sorted by name. Without packages if neither the staged list nor all packages are present. */
export async function readShippedLicences(): Promise<Licences> {
  // The staged desktop app does not contain all packages, so the list is written while staging.
  const stagedList = await readFile(join(projectDir, "licences.json"), "utf8").then(
    (text) => appInfo.shape.licences.parse(JSON.parse(text)),
    () => undefined,
  );
  if (stagedList !== undefined) return stagedList;
  const models = shippedCatalog.map(({ name, licence, ownedBy }) => ({
    name,
    licence: licence.name,
    what: `model weights, by ${ownedBy}`,
  }));
  const packages = await installedPackages().catch(() => []);
  return [...models, ...bundledLibraries, ...partsOfVoices, measuringClips, ...packages].sort(
    (a, b) => a.name.localeCompare(b.name),
  );
}

async function installedPackages(): Promise<Licences> {
  // The Node binary: one of these packages, depending on the platform.
  const nodePackages = Object.keys(packageJson.optionalDependencies).filter((name) =>
    existsSync(join(projectDir, "node_modules", name)),
  );
  const packages = await listLoadedPackages(projectDir, [...shippedDependencies, ...nodePackages]);
  // Several versions of a package count as one.
  return [
    ...new Map(
      packages.map(({ name, licence, what }) => [
        name,
        { name, licence, what: what.replace(leadingEmoji, "") },
      ]),
    ).values(),
  ];
}

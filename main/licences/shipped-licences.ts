// The licences of all that the app consists of: packages it loads, as far as they are installed for this kind of
// machine, what is compiled into them, and the weights of the models. Not of what builds, checks and packs it.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { type AppInfo, appInfo } from "../contract/studio-api.ts";
import { listLoadedPackages } from "./installed-packages.ts";
import { catalog } from "../models/catalog.ts";

type Licences = AppInfo["licences"];

const projectDir = join(import.meta.dirname, "..", "..");

/** Packages whose code is in the app or in its page: all but the one that makes the page. */
export const shippedDependencies = Object.keys(packageJson.dependencies).filter(
  (name) => name !== "vite",
);

/** What a description may begin with. */
const leadingEmoji = /^\p{Extended_Pictographic}\uFE0F?\s*/u;

/** In packages whose own licence is another one. */
const bundledLibraries: Licences = [
  {
    name: "FFmpeg",
    licence: "GPL-3.0-or-later",
    what: "decoding, encoding and filtering of sound; part of node-av",
  },
  { name: "ONNX Runtime", licence: "MIT", what: "runs the models; part of onnxruntime-node" },
];

/** By name. Without packages where there is neither a list nor all of them. */
export async function readShippedLicences(): Promise<Licences> {
  // The staged desktop app has not all of them: the list was made when it was staged.
  const stagedList = await readFile(join(projectDir, "licences.json"), "utf8").then(
    (text) => appInfo.shape.licences.parse(JSON.parse(text)),
    () => undefined,
  );
  if (stagedList !== undefined) return stagedList;
  const models = catalog.map(({ name, licence, ownedBy }) => ({
    name,
    licence,
    what: `model weights, by ${ownedBy}`,
  }));
  const packages = await installedPackages().catch(() => []);
  return [...models, ...bundledLibraries, ...packages].sort((a, b) => a.name.localeCompare(b.name));
}

async function installedPackages(): Promise<Licences> {
  // The Node that runs it: one of these, by the kind of machine.
  const nodePackages = Object.keys(packageJson.optionalDependencies).filter((name) =>
    existsSync(join(projectDir, "node_modules", name)),
  );
  const packages = await listLoadedPackages(projectDir, [...shippedDependencies, ...nodePackages]);
  // Several versions of one are one licence.
  return [
    ...new Map(
      packages.map(({ name, licence, what }) => [
        name,
        { name, licence, what: what.replace(leadingEmoji, "") },
      ]),
    ).values(),
  ];
}

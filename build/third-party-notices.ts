// Text of the third-party licences for the packed app. electron-builder adds those of Electron and Chromium.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { desktopFolder, weightsDir } from "./staged-desktop.ts";
import { projectDir } from "./built-folder.ts";
import { type InstalledPackage, listLoadedPackages } from "../main/licences/installed-packages.ts";
import { readShippedLicences, shippedDependencies } from "../main/licences/shipped-licences.ts";

const isLicence = (name: string): boolean => /^(licen[cs]e|copying|notice)/i.test(name);
const separatorLine = "=".repeat(100);

/** @param stagedPackages names of the packages that the staged app imports */
export async function thirdPartyNotices(stagedPackages: readonly string[]): Promise<string> {
  // Dependencies that are not staged are bundled into the page.
  const packages = await listLoadedPackages(desktopFolder.dir, [
    ...new Set([...stagedPackages, ...shippedDependencies]),
  ]);
  const packageNames = new Set(packages.map(({ name }) => name));
  const otherWorks = (await readShippedLicences()).filter(
    ({ name, what }) => !packageNames.has(name) && /^model weights|part of /.test(what),
  );
  return [
    `Hearsay ${packageJson.version} is free software under the GNU General Public License, version 3 or later: see
LICENSE.txt. It includes the works below, each under its own licence. FFmpeg is part of node-av under GPL-3.0-or-later;
node-av's source says how it is built. eSpeak NG is part of sherpa-onnx-node and of @echogarden/espeak-ng-emscripten under
GPL-3.0-or-later.
`,
    ...otherWorks.map(({ name, licence, what }) => `${name}: ${licence} (${what})`),
    "",
    ...(await Promise.all(packages.map(packageNotice))),
    ...(await weightNotices()),
  ].join("\n");
}

async function packageNotice({
  name,
  version,
  licence,
  dir,
  source,
}: InstalledPackage): Promise<string> {
  const origin =
    source === undefined ? "" : `\n${source.replace(/^git\+/, "").replace(/^git:/, "https:")}`;
  return [
    separatorLine,
    `${name} ${version}: ${licence}${origin}`,
    ...(await licenceTexts(dir)),
  ].join("\n");
}

async function weightNotices(): Promise<string[]> {
  const dir = join(projectDir, weightsDir);
  const folders = (await readdir(dir, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return Promise.all(
    folders
      .sort()
      .map(async (name) =>
        [separatorLine, `Weights of ${name}`, ...(await licenceTexts(join(dir, name)))].join("\n"),
      ),
  );
}

async function licenceTexts(dir: string): Promise<string[]> {
  const files = (await readdir(dir, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && isLicence(entry.name))
    .map(({ name }) => name);
  const texts = await Promise.all(files.sort().map((name) => readFile(join(dir, name), "utf8")));
  return texts.map((text) => `\n${text.replaceAll("\r\n", "\n").trim()}\n`);
}

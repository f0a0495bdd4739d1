// Finds out which model files from elsewhere are: one of the catalog by checksums, one with a manifest of our own export,
// or one of a known family.

import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { recognizeFamily } from "../families.ts";
import { hashFile } from "../file-hash.ts";
import { toModelId } from "../file-names.ts";
import { manifestName, parseManifest } from "../manifest.ts";
import type { SourceFile } from "./source-files.ts";

export type IdentifiedModel = {
  /** With all files and their checksums. */
  entry: CatalogEntry;
  /** In the order of `entry.files`. */
  sources: readonly SourceFile[];
};

export type ModelSources = {
  /** Of the archive or folder. */
  name: string;
  files: readonly SourceFile[];
};

/** @throws AppError if they are no model, or damaged files of one in the catalog; the signal's reason */
export async function identifyModel(
  { name, files }: ModelSources,
  catalog: readonly CatalogEntry[],
  signal: AbortSignal,
): Promise<IdentifiedModel> {
  const hashes = new Map<SourceFile, Promise<string>>();
  const hashOf = (file: SourceFile): Promise<string> => {
    const known = hashes.get(file);
    if (known !== undefined) return known;
    const hash =
      file.sha256 === undefined ? hashFile(file.path, signal) : Promise.resolve(file.sha256);
    hashes.set(file, hash);
    return hash;
  };

  // Models that come with the app cannot be replaced; under another id, their files may be imported.
  const replaceable = catalog.filter((entry) => entry.sources.length > 0);
  const known = await findInCatalog(files, replaceable, hashOf);
  if (known !== undefined) return known;
  for (const root of roots(files)) {
    const inRoot = files
      .filter((file) => file.name.startsWith(root))
      .map((file) => ({ ...file, name: file.name.slice(root.length) }));
    const model =
      (await readExported(inRoot, hashOf)) ??
      (await recognize(root === "" ? name : baseName(root.slice(0, -1)), inRoot, hashOf));
    if (model === undefined) continue;
    const isTaken = catalog.some(({ id }) => id === model.entry.id);
    return isTaken
      ? { ...model, entry: { ...model.entry, id: `${model.entry.id}-imported` } }
      : model;
  }
  throw new AppError("modelImport.noFamily");
}

/** Folders that may be the model's, with a slash at the end; the outermost first. One that only holds another is none. */
function roots(files: readonly SourceFile[]): string[] {
  const folders = new Set([""]);
  for (const { name } of files)
    for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
      folders.add(name.slice(0, at + 1));
  return [...folders]
    .filter((root) => ![...folders].some((inner) => inner.length > root.length && holdsAll(inner)))
    .sort((a, b) => a.split("/").length - b.split("/").length);

  function holdsAll(folder: string): boolean {
    return files.every(({ name }) => name.startsWith(folder));
  }
}

async function findInCatalog(
  files: readonly SourceFile[],
  catalog: readonly CatalogEntry[],
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  for (const entry of catalog) {
    const sources: SourceFile[] = [];
    let damagedFile: string | undefined;
    for (const { name, sizeBytes, sha256 } of entry.files) {
      const sameSize = files.filter((file) => file.sizeBytes === sizeBytes);
      let match: SourceFile | undefined;
      for (const file of sameSize) if ((await hashOf(file)) === sha256) match ??= file;
      const sameName = sameSize.find((file) => baseName(file.name) === baseName(name));
      if (match !== undefined) sources.push(match);
      else if (sameName !== undefined) damagedFile = name;
      else {
        damagedFile = undefined;
        break;
      }
    }
    if (entry.files.length > 0 && sources.length === entry.files.length) return { entry, sources };
    if (damagedFile !== undefined)
      throw new AppError("modelImport.checksum", { file: damagedFile, model: entry.name });
  }
  return undefined;
}

/** What this app exported: the manifest is believed only as far as the files agree with it. */
async function readExported(
  files: readonly SourceFile[],
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  const manifestFile = files.find(({ name }) => name === manifestName);
  if (manifestFile === undefined || manifestFile.sizeBytes > maxTextBytes) return undefined;
  const entry = parseOwnManifest(await readFile(manifestFile.path, "utf8"));
  if (entry === undefined || entry.files.length === 0) return undefined;
  const sources: SourceFile[] = [];
  for (const { name, sha256 } of entry.files) {
    const file = files.find((candidate) => candidate.name === name);
    if (file === undefined) throw new AppError("modelImport.incomplete", { files: name });
    if ((await hashOf(file)) !== sha256)
      throw new AppError("modelImport.checksum", { file: name, model: entry.name });
    sources.push(file);
  }
  return { entry, sources };
}

function parseOwnManifest(text: string): CatalogEntry | undefined {
  try {
    const { origin: _origin, installedAt: _installedAt, ...entry } = parseManifest(text);
    return entry;
  } catch {
    return undefined;
  }
}

async function recognize(
  name: string,
  files: readonly SourceFile[],
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  const find = (fileName: string): SourceFile => {
    const file = files.find((candidate) => candidate.name === fileName);
    if (file === undefined) throw new Error(`there is no ${fileName}`);
    return file;
  };
  const model = await recognizeFamily({
    name,
    files,
    async readText(fileName) {
      const { path, sizeBytes } = find(fileName);
      return sizeBytes > maxTextBytes ? "" : readFile(path, "utf8");
    },
    contains: (fileName, text) => containsText(find(fileName).path, text),
  });
  if (model === undefined) return undefined;
  if (model.missingRoles.length > 0)
    throw new AppError("modelImport.incomplete", { files: model.missingRoles.join(", ") });
  const { family, kind, capabilities, languages, fileNames } = model;
  const sources = fileNames.map(find);
  return {
    sources,
    entry: {
      id: toModelId(name),
      family,
      kind,
      name: baseName(name),
      ownedBy: name.includes("/") ? name.slice(0, name.indexOf("/")) : "imported",
      licence: { name: "not stated" },
      created: 0,
      languages: languages.map((code) => ({ code })),
      capabilities,
      ...model.passes,
      sources: [],
      files: await Promise.all(
        sources.map(async (file) => ({
          name: file.name,
          sizeBytes: file.sizeBytes,
          sha256: await hashOf(file),
        })),
      ),
    },
  };
}

/** Configurations and lists of tokens. */
const maxTextBytes = 32 * 2 ** 20;

async function containsText(path: string, text: string): Promise<boolean> {
  let end = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, {
    highWaterMark: 2 ** 20,
  }) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([end, chunk]);
    if (bytes.includes(text)) return true;
    end = bytes.subarray(Math.max(0, bytes.length - text.length + 1));
  }
  return false;
}

const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

// Finds out which model files from elsewhere are: one of the catalog by checksums, one with a manifest of our own
// export, or one of a known family.

import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { recognizeFamily } from "../families.ts";
import { hashFile } from "../../storage/file-hash.ts";
import { toModelId } from "../file-names.ts";
import { manifestName, maxManifestBytes, parseExportedManifest } from "../manifest.ts";
import { modelFolders } from "./model-folders.ts";
import type { SourceFile } from "./source-files.ts";

export type IdentifiedModel = {
  /** With all files and their checksums. */
  entry: CatalogEntry;
  /** In the order of `entry.files`. */
  sources: readonly SourceFile[];
  /** It has the files of its entry in the catalog. */
  isOfCatalog: boolean;
};

export type ModelSources = {
  /** Of the archive or folder. */
  name: string;
  files: readonly SourceFile[];
};

/**
 * @param onHashed called with the size of each part of a file that was read for its checksum
 * @throws AppError if they are no model, or damaged files of one in the catalog; the signal's reason
 */
export async function identifyModel(
  { name, files }: ModelSources,
  catalog: readonly CatalogEntry[],
  signal: AbortSignal,
  onHashed?: (bytes: number) => void,
): Promise<IdentifiedModel> {
  const hashes = new Map<string, Promise<string>>();
  const hashOf = ({ path, sha256 }: SourceFile): Promise<string> => {
    const hash =
      hashes.get(path) ??
      (sha256 === undefined ? hashFile(path, signal, onHashed) : Promise.resolve(sha256));
    hashes.set(path, hash);
    return hash;
  };

  // Models that come with the app cannot be replaced; under another id, their files may be imported.
  const replaceable = catalog.filter((entry) => entry.sources.length > 0);
  const known = await findInCatalog(files, replaceable, hashOf);
  if (known !== undefined) return known;
  for (const [root, inFolder] of modelFolders(files)) {
    // An archive may have thousands: others get their turn, and the signal too.
    await setImmediate();
    signal.throwIfAborted();
    const inRoot = filesBelow(root, inFolder);
    const model =
      (await readExported(inRoot, hashOf)) ??
      (await recognize(root === "" ? name : baseName(root.slice(0, -1)), inRoot, hashOf));
    if (model !== undefined) return model;
  }
  throw new AppError("modelImport.noFamily");
}

type FilesByName = ReadonlyMap<string, SourceFile>;

/** By their names relative to a folder. */
const filesBelow = (folder: string, files: readonly SourceFile[]): FilesByName =>
  new Map(
    files.map((file) => {
      const name = file.name.slice(folder.length);
      return [name, { ...file, name }];
    }),
  );

async function findInCatalog(
  files: readonly SourceFile[],
  catalog: readonly CatalogEntry[],
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  const ofSize = Map.groupBy(files, ({ sizeBytes }) => sizeBytes);
  let damaged: AppError | undefined;
  for (const entry of catalog) {
    const sources: SourceFile[] = [];
    let damagedFile: string | undefined;
    for (const { name, sizeBytes, sha256 } of entry.files) {
      const sameSize = ofSize.get(sizeBytes) ?? [];
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
    if (entry.files.length > 0 && sources.length === entry.files.length)
      return { entry, sources, isOfCatalog: true };
    if (damagedFile !== undefined)
      damaged ??= new AppError("modelImport.checksum", { file: damagedFile, model: entry.name });
  }
  // Models for different languages have files of the same sizes, so that one may look like another's.
  if (damaged !== undefined) throw damaged;
  return undefined;
}

/** What this app exported: the manifest is believed only as far as the files agree with it. */
async function readExported(
  files: FilesByName,
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  const manifestFile = files.get(manifestName);
  if (manifestFile === undefined || manifestFile.sizeBytes > maxManifestBytes) return undefined;
  const entry = parseExportedManifest(await readFile(manifestFile.path, "utf8"));
  if (entry === undefined) return undefined;
  const sources: SourceFile[] = [];
  for (const { name, sha256 } of entry.files) {
    const file = files.get(name);
    if (file === undefined) throw new AppError("modelImport.incomplete", { files: name });
    if ((await hashOf(file)) !== sha256)
      throw new AppError("modelImport.checksum", { file: name, model: entry.name });
    sources.push(file);
  }
  const { name, family, kind } = entry;
  const recognized = await recognizeFiles(name, new Map(sources.map((file) => [file.name, file])));
  if (recognized?.family !== family || recognized.kind !== kind)
    throw new AppError("modelImport.otherFamily", { family, kind });
  return { entry, sources, isOfCatalog: false };
}

const recognizeFiles = (name: string, files: FilesByName): ReturnType<typeof recognizeFamily> =>
  recognizeFamily({
    name,
    files: [...files.values()],
    async readText(fileName) {
      const { path, sizeBytes } = fileOf(files, fileName);
      return sizeBytes > maxTextBytes ? "" : readFile(path, "utf8");
    },
    contains: (fileName, text) => containsText(fileOf(files, fileName).path, text),
  });

function fileOf(files: FilesByName, name: string): SourceFile {
  const file = files.get(name);
  if (file === undefined) throw new Error(`there is no ${name}`);
  return file;
}

async function recognize(
  name: string,
  files: FilesByName,
  hashOf: (file: SourceFile) => Promise<string>,
): Promise<IdentifiedModel | undefined> {
  const model = await recognizeFiles(name, files);
  if (model === undefined) return undefined;
  if (model.missingRoles.length > 0)
    throw new AppError("modelImport.incomplete", { files: model.missingRoles.join(", ") });
  const { family, kind, capabilities, languages, fileNames } = model;
  const sources = fileNames.map((fileName) => fileOf(files, fileName));
  return {
    sources,
    isOfCatalog: false,
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
      ...model.entryFields,
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

// Imports a model from a folder or an archive on this machine into the store.

import { randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { maxImportFiles, type PlannedImport } from "../../contract/model-downloads.ts";
import { sizeOfFiles } from "../../contract/model-size.ts";
import type { CatalogEntry, InstalledModel } from "../../contract/models.ts";
import type { Platform } from "../../platform.ts";
import { ChildTaskLostError, runChildTask } from "../../processes/run-task.ts";
import {
  chmod,
  copyFile,
  diskReserveBytes,
  flushFile,
  freeBytes as diskFreeBytes,
  mkdir,
  rename,
} from "../../storage/disk.ts";
import { checkDiskSpace } from "../disk-space.ts";
import { createWorkLimit } from "../download/work-limit.ts";
import type { UnpackedFile, UnpackProgress, UnpackTask } from "./archive-child.ts";
import { archiveFormat } from "./archive-entries.ts";
import { createIdChooser } from "./choose-id.ts";
import { type IdentifiedModel, identifyModel, type ModelSources } from "./identify-model.ts";
import { neededFiles } from "./needed-files.ts";
import { readSourceFolder } from "./source-files.ts";

export type ModelImporter = {
  /**
   * Refuses what could not be imported after an upload. @returns which of several files are needed @throws AppError
   */
  check(planned: PlannedImport): Promise<string[] | undefined>;
  /**
   * @param path of a folder or archive
   * @throws AppError: nothing is changed then; the signal's reason
   */
  run(path: string, options: ImportOptions): Promise<InstalledModel>;
};

type ImportOptions = {
  /** Of the archive, if the path does not tell it. */
  name?: string;
  signal: AbortSignal;
  /** 0 to 1. */
  onProgress?(fraction: number): void;
};

export type ModelImporterDeps = Pick<Platform, "launchChild"> & {
  /** Of unfinished models; on the same disk as the models. */
  incomingDir: string;
  catalog: readonly CatalogEntry[];
  installed(): readonly InstalledModel[];
  install(entry: CatalogEntry, folder: string, origin: "imported"): Promise<InstalledModel>;
  freeBytes?(folder: string): Promise<number>;
  /** Of any import, 0 to 1. */
  onProgress?(fraction: number): void;
};

/** Of the names in `incomingDir`. */
const stagingPrefix = "import-";
/** Unpacking without progress for this long is aborted. */
const stallTimeoutMs = 120_000;
/** Every family has such a file. */
const graphName = /\.(onnx|ort)$/;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `archive-child${extname(import.meta.filename)}`);

export function createModelImporter({
  incomingDir,
  catalog,
  installed,
  install,
  launchChild,
  freeBytes = diskFreeBytes,
  onProgress: onAnyProgress = () => {},
}: ModelImporterDeps): ModelImporter {
  const chooseId = createIdChooser(catalog, installed);
  const inTurn = createWorkLimit(1);
  /** Folders of imports under way. */
  const stagings = new Set<string>();

  /** Of processes that were killed: only one process at a time uses the data folder. */
  async function removeLeftovers(): Promise<void> {
    for (const name of await readdir(incomingDir).catch(() => [])) {
      if (!name.startsWith(stagingPrefix) || stagings.has(name)) continue;
      // Not what this import is about.
      await rm(join(incomingDir, name), { recursive: true, force: true }).catch(() => {});
    }
  }

  return {
    async check(planned) {
      checkContent(planned);
      const needed = planned.files && (await neededFiles(planned.files, catalog));
      const sizeBytes = needed === undefined ? planned.sizeBytes : sizeOfFiles(needed);
      await mkdir(incomingDir, { recursive: true, mode: 0o700 });
      // The archive stays until it is unpacked.
      checkDiskSpace("modelImport.noSpace", 2 * sizeBytes, await freeBytes(incomingDir));
      return needed?.map(({ name }) => name);
    },
    async run(path, { name = basename(path), signal, ...options }) {
      const onProgress = eachPercent((fraction) => {
        onAnyProgress(fraction);
        options.onProgress?.(fraction);
      });
      const stagingName = stagingPrefix + randomUUID();
      stagings.add(stagingName);
      const staging = join(incomingDir, stagingName);
      await removeLeftovers();
      const [unpackDir, filesDir] = [join(staging, "unpacked"), join(staging, "files")];
      for (const dir of [unpackDir, filesDir]) await mkdir(dir, { recursive: true, mode: 0o700 });
      try {
        const sources = await readSources(path, name, unpackDir, {
          signal,
          onProgress,
          launchChild,
          freeBytes,
        });
        // The files of a folder are read twice, those of an archive not at all.
        let hashedBytes = 0;
        const foundBytes = sizeOfFiles(sources.files);
        const model = await identifyModel(sources, catalog, signal, (bytes) => {
          hashedBytes += bytes;
          if (!sources.isUnpacked) onProgress(hashedBytes / foundBytes / 2);
        });
        // Says so before files are copied, if it is here already.
        chooseId(model);
        const totalBytes = sizeOfFiles(model.entry.files);
        if (!sources.isUnpacked)
          checkDiskSpace("modelImport.noSpace", totalBytes, await freeBytes(filesDir));
        await placeFiles(
          model,
          filesDir,
          sources.isUnpacked ? rename : copyFile,
          signal,
          (bytes) => {
            if (!sources.isUnpacked) onProgress((1 + bytes / totalBytes) / 2);
          },
        );
        // No other import may choose the same id meanwhile.
        return await inTurn(() =>
          install({ ...model.entry, id: chooseId(model) }, filesDir, "imported"),
        );
      } finally {
        await rm(staging, { recursive: true, force: true, maxRetries: 5 });
        stagings.delete(stagingName);
      }
    },
  };
}

type ReadOptions = Required<Omit<ImportOptions, "name">> &
  Pick<ModelImporterDeps, "launchChild" | "freeBytes">;

async function unpack(
  archivePath: string,
  toDir: string,
  archiveBytes: number,
  { signal, onProgress, launchChild, freeBytes = diskFreeBytes }: ReadOptions,
): Promise<UnpackedFile[]> {
  const task: UnpackTask = {
    archivePath,
    archiveBytes,
    toDir,
    maxBytes: Math.max(0, (await freeBytes(toDir)) - diskReserveBytes),
  };
  try {
    return (await runChildTask((options) => launchChild(childModule, options), task, {
      signal,
      timeLimitMs: stallTimeoutMs,
      onProgress: (read) => onProgress((read as UnpackProgress) / archiveBytes),
    })) as UnpackedFile[];
  } catch (error) {
    if (error instanceof ChildTaskLostError)
      throw new AppError("modelImport.tooHeavy", {}, { cause: error });
    throw error;
  }
}

async function readSources(
  path: string,
  name: string,
  toDir: string,
  options: ReadOptions,
): Promise<ModelSources & { isUnpacked: boolean }> {
  const stats = await stat(path).catch(() => {
    throw new AppError("modelImport.missing", { path });
  });
  if (stats.isDirectory())
    return { ...(await readSourceFolder(path, options.signal)), isUnpacked: false };
  // Opening a pipe would wait for somebody who writes to it.
  if (!stats.isFile()) throw new AppError("modelImport.format");
  const unpacked = await unpack(path, toDir, stats.size, options);
  return {
    name: name.replace(/\.(zip|tar|tgz|tbz2?|(tar\.)?(gz|bz2))$/i, ""),
    files: unpacked.map((file) => ({ ...file, path: join(toDir, file.name) })),
    isUnpacked: true,
  };
}

/** @param onPlaced called with the bytes of all files that are in place */
async function placeFiles(
  { entry, sources }: IdentifiedModel,
  filesDir: string,
  place: (source: string, target: string) => Promise<void>,
  signal: AbortSignal,
  onPlaced: (bytes: number) => void,
): Promise<void> {
  let placedBytes = 0;
  for (const [index, file] of entry.files.entries()) {
    signal.throwIfAborted();
    const target = join(filesDir, file.name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await place(sources[index]?.path ?? "", target);
    await chmod(target, 0o600);
    await flushFile(target);
    placedBytes += file.sizeBytes;
    onPlaced(placedBytes);
  }
}

/** Reports a fraction once for each percent. */
function eachPercent(report: (fraction: number) => void): (fraction: number) => void {
  let lastPercent = -1;
  return (fraction) => {
    const percent = Math.floor(fraction * 100);
    if (percent === lastPercent) return;
    lastPercent = percent;
    report(fraction);
  };
}

/** What the names of a folder's files or the first bytes of an archive tell. */
function checkContent({ files, start }: PlannedImport): void {
  if (files !== undefined && files.length > maxImportFiles)
    throw new AppError("modelImport.tooMany", { max: maxImportFiles });
  if (files?.some(({ name }) => graphName.test(name)) === false)
    throw new AppError("modelImport.noFamily");
  if (start !== undefined) archiveFormat(Buffer.from(start, "base64"));
}

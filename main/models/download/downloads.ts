// Downloads of models that people asked for: one per model, kept on disk, so that they go on after a restart. Nothing
// is fetched unless somebody asked for it.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../contract/errors.ts";
import type { ModelDownload } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { createDownload, type Download, toView } from "./download.ts";
import {
  createDownloadRunner,
  type DownloadRunnerDeps,
  type ModelTarget,
} from "./download-runner.ts";
import type { Endpoint, RemoteFile } from "./file-download.ts";
import { presentBytes } from "./files-download.ts";
import { readRepository, type RepositoryModel } from "./hub-repository.ts";
import { readStored } from "./stored-download.ts";
import { createTurns } from "./work-limit.ts";

export type ModelDownloads = {
  list(): ModelDownload[];
  /**
   * Also resumes. Resolves once it has begun; events tell the progress.
   * @throws AppError if the model is unknown or installed, or its licence was not accepted
   */
  start(id: string, options: { acceptLicence: boolean }): Promise<ModelDownload>;
  /** Of any repository of the hub whose files fit a family. @throws AppError; the signal's reason */
  startRepository(
    repository: string,
    options: { revision: string; acceptLicence: boolean; signal: AbortSignal },
  ): Promise<ModelDownload>;
  /** What has arrived is kept. @throws AppError if there is no such download */
  pause(id: string): Promise<ModelDownload>;
  resume(id: string): Promise<ModelDownload>;
  /** Resolves when what had arrived is removed. */
  cancel(id: string): Promise<void>;
  /** Lists downloads of the last run, and goes on with those that were running. */
  restore(): Promise<void>;
  /** What runs goes on at the next start. */
  close(): Promise<void>;
};

export type ModelDownloadsDeps = Omit<DownloadRunnerDeps, "endpoints" | "onInstalled"> & {
  /** Of unfinished models; on the same disk as the models. */
  incomingDir: string;
  catalog: readonly CatalogEntry[];
  /** The hub, then its mirrors. */
  endpoints: readonly Endpoint[];
  /** For the hub only, never for a mirror. */
  token?(): string | undefined;
};

export function createModelDownloads(deps: ModelDownloadsDeps): ModelDownloads {
  const { incomingDir, catalog, target, client, onChange } = deps;
  const endpoints = (): Endpoint[] => withToken(deps);
  const downloads = new Map<string, Download>();
  const runner = createDownloadRunner({
    ...deps,
    endpoints,
    onInstalled: (id) => downloads.delete(id),
  });
  let isClosed = false;
  /**
   * What is asked for takes effect in that order: a model that was cancelled is fetched anew once its files are gone.
   */
  const inTurn = createTurns();

  function begin(model: RepositoryModel, acceptLicence: boolean): ModelDownload {
    const { id } = model.entry;
    checkMissing(target, model);
    if (!downloads.has(id)) checkLicence(model.entry, acceptLicence);
    const download = downloads.get(id) ?? createDownload(model, join(incomingDir, id));
    downloads.set(id, download);
    return resume(download);
  }

  function resume(download: Download): ModelDownload {
    if (isClosed) throw new AppError("closing");
    if (download.state !== "running") runner.run(download);
    return toView(download);
  }

  function find(id: string): Download {
    const download = downloads.get(id);
    if (download === undefined) throw new AppError("download.notFound", { id });
    return download;
  }

  async function stop(id: string): Promise<Download> {
    const download = find(id);
    await runner.pause(download);
    return download;
  }

  /** A revision that somebody asks for now goes before one that was asked for earlier. */
  async function stopOtherVersion({ entry, files }: RepositoryModel): Promise<void> {
    const current = downloads.get(entry.id);
    if (current === undefined || hasSameContent(current.files, files)) return;
    await runner.pause(current);
    downloads.delete(entry.id);
  }

  async function restoreOne(id: string): Promise<void> {
    if (downloads.has(id)) return;
    const folder = join(incomingDir, id);
    const stored = await readStored(folder);
    if (stored?.entry.id !== id || isInstalled(target, id)) return removeFolder(folder);
    const download = await createStoredDownload(catalog, stored, folder);
    if (isClosed) return;
    downloads.set(id, download);
    if (stored.state === "running") runner.run(download);
    else if (stored.state === "failed")
      Object.assign(download, { state: "failed", error: stored.error });
  }

  return {
    list: () => Array.from(downloads.values(), toView),
    start: (id, { acceptLicence }) =>
      inTurn(id, () => begin(downloads.get(id) ?? findModel(deps, id), acceptLicence)),
    async startRepository(repository, { revision, acceptLicence, signal }) {
      const hub = { client, endpoints: endpoints(), signal };
      const model = await readRepository(repository, revision, hub);
      return inTurn(model.entry.id, async () => {
        checkLicence(model.entry, acceptLicence);
        await stopOtherVersion(model);
        return begin(model, acceptLicence);
      });
    },
    pause: (id) => inTurn(id, async () => toView(await stop(id))),
    resume: (id) => inTurn(id, () => resume(find(id))),
    cancel: (id) =>
      inTurn(id, async () => {
        const download = await stop(id);
        // It was complete before it could be stopped.
        if (download.state === "done") return;
        downloads.delete(id);
        await removeFolder(download.folder);
        download.state = "cancelled";
        download.doneBytes = 0;
        onChange(toView(download));
      }),
    async restore() {
      const entries = await readdir(incomingDir, { withFileTypes: true }).catch(() => []);
      for (const { name } of entries.filter((entry) => entry.isDirectory()))
        await inTurn(name, () => restoreOne(name));
    },
    async close() {
      isClosed = true;
      await Promise.all(Array.from(downloads.values(), runner.interrupt));
    },
  };
}

/** The catalog of this version may know a later revision than that of the last run. */
async function createStoredDownload(
  catalog: readonly CatalogEntry[],
  stored: RepositoryModel,
  folder: string,
): Promise<Download> {
  const entry = catalog.find(({ id }) => id === stored.entry.id);
  const model = entry === undefined ? stored : { entry, files: filesOf(entry) };
  const download = createDownload(model, folder);
  download.doneBytes = await presentBytes(folder, model.files);
  return download;
}

const withToken = ({ endpoints, token }: ModelDownloadsDeps): Endpoint[] =>
  endpoints.map((endpoint, index) => (index === 0 ? { ...endpoint, token: token?.() } : endpoint));

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** A damaged model may be downloaded again. */
function isInstalled(target: ModelTarget, id: string): boolean {
  const model = target.find(id);
  return model !== undefined && model.damaged === undefined && model.origin !== "shipped";
}

function checkMissing(target: ModelTarget, { entry: { id }, files }: RepositoryModel): void {
  if (!isInstalled(target, id)) return;
  const hashes = new Map(target.find(id)?.files.map(({ name, sha256 }) => [name, sha256]));
  const isOther = files.some(
    ({ name, sha256 }) => !hashes.has(name) || (sha256 ?? hashes.get(name)) !== hashes.get(name),
  );
  throw new AppError(isOther ? "download.otherVersion" : "download.installed", { id });
}

/** Other commits of a repository often have the same files. */
const hasSameContent = (one: readonly RemoteFile[], other: readonly RemoteFile[]): boolean =>
  isDeepStrictEqual(one.map(toContent), other.map(toContent));
const toContent = ({ locations: _locations, ...content }: RemoteFile): object => content;

/** Of the catalog, or one that came from elsewhere and may be damaged now. */
function findModel({ catalog, target }: ModelDownloadsDeps, id: string): RepositoryModel {
  const installed = target.find(id);
  const entry = catalog.find((candidate) => candidate.id === id) ?? installed;
  if (entry === undefined) throw new AppError("download.unknownModel", { id });
  if (entry.sources.length === 0)
    throw new AppError(
      installed?.origin === "imported" ? "download.imported" : "download.noSource",
      { id },
    );
  return { entry, files: filesOf(entry) };
}

function checkLicence({ id, licence }: CatalogEntry, acceptLicence: boolean): void {
  if (licence.mustBeAccepted === true && !acceptLicence)
    throw new AppError("download.licence", {
      id,
      licence: licence.name,
      url: licence.url ?? licence.name,
    });
}

const filesOf = ({ files, sources }: CatalogEntry): RemoteFile[] =>
  files.map((file) => ({
    ...file,
    locations: sources.flatMap(({ repository, revision, paths }) => {
      const path = paths === undefined ? file.name : paths[file.name];
      return path === undefined ? [] : [{ repository, revision, path }];
    }),
  }));

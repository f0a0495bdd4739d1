// Downloads of models that people asked for: one per model, kept on disk, so that they go on after a restart. Nothing is
// fetched unless somebody asked for it.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { ModelDownload } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { createDownload, type Download, type RequestedModel, toView } from "./download.ts";
import {
  createDownloadRunner,
  type DownloadRunnerDeps,
  type ModelTarget,
} from "./download-runner.ts";
import type { Endpoint, RemoteFile } from "./file-download.ts";
import { presentBytes } from "./files-download.ts";
import { readRepository } from "./hub-repository.ts";
import { readStored } from "./stored-download.ts";

export type ModelDownloads = {
  list(): ModelDownload[];
  /**
   * Also resumes. @returns at once; events tell the progress
   * @throws AppError if the model is unknown or installed, or its licence was not accepted
   */
  start(id: string, options: { acceptLicence: boolean }): ModelDownload;
  /** Of any repository of the hub whose files fit a family. @throws AppError; the signal's reason */
  startRepository(
    repository: string,
    options: { revision: string; acceptLicence: boolean; signal: AbortSignal },
  ): Promise<ModelDownload>;
  /** What has arrived is kept. @throws AppError if there is no such download */
  pause(id: string): Promise<ModelDownload>;
  resume(id: string): ModelDownload;
  /** Removes what has arrived. */
  cancel(id: string): Promise<void>;
  /** Lists downloads of the last run, and goes on with those that were running. */
  restore(): Promise<void>;
  /** What runs goes on at the next start. */
  close(): Promise<void>;
};

export type ModelDownloadsDeps = Omit<DownloadRunnerDeps, "endpointsFor" | "onInstalled"> & {
  /** Of unfinished models; on the same disk as the models. */
  incomingDir: string;
  catalog: readonly CatalogEntry[];
  /** The hub, then its mirrors. */
  endpoints: readonly Endpoint[];
  /** Sent to the hub only, and only for repositories that are not in the catalog. */
  token?(): string | undefined;
};

export function createModelDownloads(deps: ModelDownloadsDeps): ModelDownloads {
  const { incomingDir, catalog, target, client, onChange } = deps;
  const downloads = new Map<string, Download>();
  const runner = createDownloadRunner({
    ...deps,
    endpointsFor: (isCustom) => (isCustom ? withToken(deps) : deps.endpoints),
    onInstalled: (id) => downloads.delete(id),
  });
  let isClosed = false;

  function begin(model: RequestedModel): ModelDownload {
    if (isClosed) throw new AppError("closing");
    const { id } = model.entry;
    const download = downloads.get(id) ?? createDownload(model, join(incomingDir, id));
    downloads.set(id, download);
    return resume(download);
  }

  function resume(download: Download): ModelDownload {
    if (download.state !== "running") runner.run(download);
    return toView(download);
  }

  function find(id: string): Download {
    const download = downloads.get(id);
    if (download === undefined) throw new AppError("download.notFound", { id });
    return download;
  }

  async function restoreOne(id: string): Promise<void> {
    const folder = join(incomingDir, id);
    const stored = await readStored(folder);
    if (stored?.entry.id !== id || isInstalled(target, id)) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      return;
    }
    if (downloads.has(id)) return;
    const download = createDownload(stored, folder);
    download.doneBytes = await presentBytes(folder, stored.files);
    downloads.set(id, download);
    if (stored.state === "running") runner.run(download);
    else if (stored.state === "failed")
      Object.assign(download, { state: "failed", error: stored.error });
  }

  return {
    list: () => Array.from(downloads.values(), toView),
    start(id, { acceptLicence }) {
      checkMissing(target, id);
      const current = downloads.get(id);
      if (current !== undefined) return resume(current);
      const entry = findInCatalog(catalog, id);
      checkLicence(entry, acceptLicence);
      return begin({ entry, files: filesOf(entry), isCustom: false });
    },
    async startRepository(repository, { revision, acceptLicence, signal }) {
      const model = await readRepository(repository, revision, {
        client,
        endpoints: withToken(deps),
        signal,
      });
      checkMissing(target, model.entry.id);
      checkLicence(model.entry, acceptLicence);
      return begin({ ...model, isCustom: true });
    },
    async pause(id) {
      const download = find(id);
      await runner.pause(download);
      return toView(download);
    },
    resume: (id) => resume(find(id)),
    async cancel(id) {
      const download = find(id);
      await runner.pause(download);
      // It was complete before it could be stopped.
      if (download.state === "done") return;
      downloads.delete(id);
      await rm(download.folder, { recursive: true, force: true, maxRetries: 5 });
      download.state = "cancelled";
      download.doneBytes = 0;
      onChange(toView(download));
    },
    async restore() {
      const entries = await readdir(incomingDir, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) await restoreOne(entry.name);
    },
    async close() {
      isClosed = true;
      await Promise.all(Array.from(downloads.values(), runner.interrupt));
    },
  };
}

/** The token goes to the hub, never to a mirror. */
const withToken = ({ endpoints, token }: ModelDownloadsDeps): Endpoint[] =>
  endpoints.map((endpoint, index) => (index === 0 ? { ...endpoint, token: token?.() } : endpoint));

/** A damaged model may be downloaded again. */
function isInstalled(target: ModelTarget, id: string): boolean {
  const model = target.find(id);
  return model !== undefined && model.damaged === undefined && model.origin !== "shipped";
}

function checkMissing(target: ModelTarget, id: string): void {
  if (isInstalled(target, id)) throw new AppError("download.installed", { id });
}

function findInCatalog(catalog: readonly CatalogEntry[], id: string): CatalogEntry {
  const entry = catalog.find((candidate) => candidate.id === id);
  if (entry === undefined) throw new AppError("download.unknownModel", { id });
  if (entry.sources.length === 0) throw new AppError("download.noSource", { id });
  return entry;
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
    locations: sources.map(({ repository, revision, paths = {} }) => ({
      repository,
      revision,
      path: paths[file.name] ?? file.name,
    })),
  }));

// Downloads of models that people asked for: one per model, kept on disk, so that they go on after a restart. Nothing is
// fetched unless somebody asked for it.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ModelDownload } from "../../contract/model-downloads.ts";
import type { CatalogEntry, InstalledModel } from "../../contract/models.ts";
import type { Log } from "../../log.ts";
import { mkdir, rename, writeFile } from "../../storage/disk.ts";
import type { Endpoint, RemoteFile } from "./file-download.ts";
import {
  downloadFiles,
  type FilesDownloadOptions,
  filesFolder,
  presentBytes,
} from "./files-download.ts";
import type { HubClient } from "./hub-client.ts";
import { readRepository, type RepositoryModel } from "./hub-repository.ts";
import { type SpeedMeter, createSpeedMeter } from "./speed-meter.ts";
import { type StoredDownload, storedDownload } from "./stored-download.ts";

/** Where models are put, and which are there. */
export type ModelTarget = {
  find(id: string): InstalledModel | undefined;
  /** Moves the folder, which then has a manifest too. */
  install(entry: CatalogEntry, folder: string, origin: "downloaded" | "imported"): Promise<unknown>;
};

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

export type ModelDownloadsDeps = {
  /** Of unfinished models; on the same disk as the models. */
  incomingDir: string;
  catalog: readonly CatalogEntry[];
  target: ModelTarget;
  client: HubClient;
  /** The hub, then its mirrors. */
  endpoints: readonly Endpoint[];
  /** Sent to the hub only, and only for repositories that are not in the catalog. */
  token?(): string | undefined;
  onChange(download: ModelDownload): void;
  log: Log;
  retryDelayMs?: number;
  freeBytes?: FilesDownloadOptions["freeBytes"];
};

type Download = {
  entry: CatalogEntry;
  files: readonly RemoteFile[];
  isCustom: boolean;
  state: ModelDownload["state"];
  doneBytes: number;
  note?: SentMessage | undefined;
  error?: SentMessage | undefined;
  speed: SpeedMeter;
  publishedAtMs: number;
  stop: AbortController;
  task: Promise<void>;
};

/** Of all downloads together. */
const maxFilesAtOnce = 3;
const maxEventsPerSec = 10;
const tickMs = 500;
const defaultRetryDelayMs = 1000;
const stateFileName = "download.json";

export function createModelDownloads({
  incomingDir,
  catalog,
  target,
  client,
  endpoints,
  token = () => undefined,
  onChange,
  log,
  retryDelayMs = defaultRetryDelayMs,
  freeBytes,
}: ModelDownloadsDeps): ModelDownloads {
  const downloads = new Map<string, Download>();
  const limit = createLimit(maxFilesAtOnce);
  const closing = new AppError("closing");
  let isClosed = false;
  const folderOf = (id: string): string => join(incomingDir, id);

  /** The token goes to the hub, never to a mirror. */
  const endpointsFor = (isCustom: boolean): Endpoint[] =>
    endpoints.map((endpoint, index) =>
      isCustom && index === 0 ? { ...endpoint, token: token() } : endpoint,
    );

  function publish(download: Download): void {
    download.publishedAtMs = performance.now();
    onChange(toView(download));
  }

  function publishIfDue(download: Download): void {
    if (performance.now() - download.publishedAtMs >= 1000 / maxEventsPerSec) publish(download);
  }

  async function save(download: Download): Promise<void> {
    const folder = folderOf(download.entry.id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, stateFileName);
    const text = JSON.stringify(toStored(download), null, 2);
    await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  }

  function run(download: Download): ModelDownload {
    download.state = "running";
    download.doneBytes = 0;
    download.error = undefined;
    download.speed = createSpeedMeter();
    download.stop = new AbortController();
    // The last bytes before a pause, and the speed of a connection on which nothing arrives.
    const ticker = setInterval(() => publishIfDue(download), tickMs);
    download.task = Promise.allSettled([download.task])
      .then(() => fetchAndInstall(download))
      .catch((error: unknown) => settle(download, error))
      .finally(() => clearInterval(ticker));
    publish(download);
    return toView(download);
  }

  async function fetchAndInstall(download: Download): Promise<void> {
    const { entry, files, stop, isCustom } = download;
    const folder = folderOf(entry.id);
    stop.signal.throwIfAborted();
    // The repository may have changed since a former attempt.
    const former = parseStored(await readFile(join(folder, stateFileName), "utf8").catch(() => ""));
    if (former !== undefined && !isDeepStrictEqual(former.files, toStored(download).files))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await save(download);
    const installedFiles = await downloadFiles(folder, files, {
      client,
      endpoints: endpointsFor(isCustom),
      signal: stop.signal,
      limit,
      retryDelayMs,
      ...(freeBytes === undefined ? {} : { freeBytes }),
      onPresent(bytes) {
        download.doneBytes += bytes;
        publishIfDue(download);
      },
      onArrived(bytes) {
        download.doneBytes += bytes;
        download.speed.add(bytes);
        publishIfDue(download);
      },
      onNote(note) {
        if (note?.message === download.note?.message) return;
        download.note = note;
        publish(download);
      },
    });
    await target.install({ ...entry, files: installedFiles }, filesFolder(folder), "downloaded");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    downloads.delete(entry.id);
    download.state = "done";
    publish(download);
  }

  /** After a failure, or because somebody paused or cancelled it, or the app ends. */
  async function settle(download: Download, error: unknown): Promise<void> {
    const { stop, entry } = download;
    download.note = undefined;
    if (stop.signal.aborted) {
      // It goes on at the next start.
      if (stop.signal.reason === closing) return;
      download.state = "paused";
    } else {
      const failure =
        error instanceof AppError
          ? error
          : (toStorageError(error) ??
            new AppError("download.failed", { why: (error as Error).message }, { cause: error }));
      log.warn({ err: failure, model: entry.id }, "a model could not be downloaded");
      download.state = "failed";
      download.error = failure.sent;
    }
    // Without it, the download goes on at the next start.
    await save(download).catch((cause: unknown) =>
      log.warn({ err: cause, model: entry.id }, "the state of a download could not be saved"),
    );
    publish(download);
  }

  /** A damaged model may be downloaded again. */
  function isInstalled(id: string): boolean {
    const model = target.find(id);
    return model !== undefined && model.damaged === undefined && model.origin !== "shipped";
  }

  function checkMissing(id: string): void {
    if (isInstalled(id)) throw new AppError("download.installed", { id });
  }

  function begin(model: RepositoryModel & { isCustom: boolean }): ModelDownload {
    if (isClosed) throw closing;
    const { id } = model.entry;
    const current = downloads.get(id);
    if (current !== undefined) return resumeOne(current);
    const download = createDownload(model);
    downloads.set(id, download);
    return run(download);
  }

  const resumeOne = (download: Download): ModelDownload =>
    download.state === "running" ? toView(download) : run(download);

  function find(id: string): Download {
    const download = downloads.get(id);
    if (download === undefined) throw new AppError("download.notFound", { id });
    return download;
  }

  async function stopOne(download: Download): Promise<void> {
    download.stop.abort(new Error("stopped by a person"));
    await download.task;
  }

  async function restoreOne(id: string): Promise<void> {
    const folder = folderOf(id);
    const text = await readFile(join(folder, stateFileName), "utf8").catch(() => "");
    const stored = parseStored(text);
    if (stored?.entry.id !== id || isInstalled(id)) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      return;
    }
    if (downloads.has(id)) return;
    const download = createDownload(stored);
    download.doneBytes = await presentBytes(folder, stored.files);
    downloads.set(id, download);
    if (stored.state === "running") run(download);
    else if (stored.state === "failed")
      Object.assign(download, { state: "failed", error: stored.error });
  }

  return {
    list: () => Array.from(downloads.values(), toView),
    start(id, { acceptLicence }) {
      checkMissing(id);
      const current = downloads.get(id);
      if (current !== undefined) return resumeOne(current);
      const entry = catalog.find((candidate) => candidate.id === id);
      if (entry === undefined) throw new AppError("download.unknownModel", { id });
      if (entry.sources.length === 0) throw new AppError("download.noSource", { id });
      checkLicence(entry, acceptLicence);
      return begin({ entry, files: filesOf(entry), isCustom: false });
    },
    async startRepository(repository, { revision, acceptLicence, signal }) {
      const model = await readRepository(repository, revision, {
        client,
        endpoints: endpointsFor(true),
        signal,
      });
      const { id } = model.entry;
      checkMissing(id);
      checkLicence(model.entry, acceptLicence);
      return begin({ ...model, isCustom: true });
    },
    async pause(id) {
      const download = find(id);
      await stopOne(download);
      return toView(download);
    },
    resume: (id) => resumeOne(find(id)),
    async cancel(id) {
      const download = find(id);
      await stopOne(download);
      // It was complete before it could be stopped.
      if (download.state === "done") return;
      downloads.delete(id);
      await rm(folderOf(id), { recursive: true, force: true, maxRetries: 5 });
      download.state = "cancelled";
      download.doneBytes = 0;
      publish(download);
    },
    async restore() {
      const entries = await readdir(incomingDir, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) await restoreOne(entry.name);
    },
    async close() {
      isClosed = true;
      for (const { stop } of downloads.values()) stop.abort(closing);
      await Promise.all(Array.from(downloads.values(), ({ task }) => task));
    },
  };
}

function createDownload(model: RepositoryModel & { isCustom: boolean }): Download {
  return {
    ...model,
    state: "paused",
    doneBytes: 0,
    speed: createSpeedMeter(),
    publishedAtMs: 0,
    stop: new AbortController(),
    task: Promise.resolve(),
  };
}

function checkLicence({ id, licence }: CatalogEntry, acceptLicence: boolean): void {
  if (licence.mustBeAccepted === true && !acceptLicence)
    throw new AppError("download.licence", {
      id,
      licence: licence.name,
      url: licence.url ?? licence.name,
    });
}

function toView({ entry, files, state, doneBytes, note, error, speed }: Download): ModelDownload {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const bytesPerSec = state === "running" ? speed.bytesPerSec() : undefined;
  return {
    id: entry.id,
    name: entry.name,
    state,
    doneBytes,
    totalBytes,
    ...(bytesPerSec === undefined
      ? {}
      : { bytesPerSec, remainingSec: Math.ceil((totalBytes - doneBytes) / bytesPerSec) }),
    ...(note === undefined ? {} : { note }),
    ...(error === undefined ? {} : { error }),
  };
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

/** As it is read back. */
const toStored = ({ entry, files, isCustom, state, error }: Download): StoredDownload =>
  storedDownload.parse(JSON.parse(JSON.stringify({ entry, files, isCustom, state, error })));

function parseStored(text: string): StoredDownload | undefined {
  try {
    return storedDownload.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Runs at most `max` works at once, in the order of the calls. */
function createLimit(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let freeCount = max;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (freeCount > 0) freeCount -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) freeCount += 1;
      else next();
    }
  };
}

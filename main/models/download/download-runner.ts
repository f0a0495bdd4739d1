// Runs downloads: fetches the files of a model, installs it, and tells the progress.

import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { ModelDownload } from "../../contract/model-downloads.ts";
import type { CatalogEntry, InstalledModel, ModelFile } from "../../contract/models.ts";
import type { Log } from "../../log.ts";
import { type Download, toView } from "./download.ts";
import type { Endpoint } from "./file-download.ts";
import { downloadFiles, type FilesDownloadOptions, filesFolder } from "./files-download.ts";
import type { HubClient } from "./hub-client.ts";
import { createSpeedMeter } from "./speed-meter.ts";
import { readStored, saveDownload, toStored } from "./stored-download.ts";
import { createWorkLimit } from "./work-limit.ts";

/** Where models are put, and which are there. */
export type ModelTarget = {
  find(id: string): InstalledModel | undefined;
  /** Moves the folder, which then has a manifest too. */
  install(entry: CatalogEntry, folder: string, origin: "downloaded" | "imported"): Promise<unknown>;
};

export type DownloadRunner = {
  /** Starts or resumes it in the background. */
  run(download: Download): void;
  /** What has arrived is kept. */
  pause(download: Download): Promise<void>;
  /** It counts as running, and so goes on at the next start. */
  interrupt(download: Download): Promise<void>;
};

export type DownloadRunnerDeps = {
  target: ModelTarget;
  client: HubClient;
  endpoints(): readonly Endpoint[];
  onChange(download: ModelDownload): void;
  onInstalled(id: string): void;
  log: Log;
  retryDelayMs?: number;
  freeBytes?: FilesDownloadOptions["freeBytes"];
};

/** Of all downloads together. */
const maxFilesAtOnce = 3;
const maxEventsPerSec = 10;
const tickMs = 500;
const defaultRetryDelayMs = 1000;

export function createDownloadRunner({
  target,
  client,
  endpoints,
  onChange,
  onInstalled,
  log,
  retryDelayMs = defaultRetryDelayMs,
  freeBytes,
}: DownloadRunnerDeps): DownloadRunner {
  const limit = createWorkLimit(maxFilesAtOnce);
  const { publish, publishIfDue } = createPublisher(onChange);
  const closing = new AppError("closing");

  function run(download: Download): void {
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
  }

  async function fetchAndInstall(download: Download): Promise<void> {
    const { entry, folder } = download;
    download.stop.signal.throwIfAborted();
    await removeFilesOfOtherVersion(download);
    await saveDownload(download);
    const files = await fetchFiles(download);
    await target.install({ ...entry, files }, filesFolder(folder), "downloaded");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      log.warn({ err: error, folder }, "what is left of a download is deleted at the next start"),
    );
    onInstalled(entry.id);
    download.state = "done";
    publish(download);
  }

  const fetchFiles = (download: Download): Promise<ModelFile[]> =>
    downloadFiles(download.folder, download.files, {
      client,
      endpoints: endpoints(),
      signal: download.stop.signal,
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

  /** After a failure, or because somebody paused or cancelled it, or the app ends. */
  async function settle(download: Download, error: unknown): Promise<void> {
    const { signal } = download.stop;
    const model = download.entry.id;
    download.note = undefined;
    if (signal.aborted) {
      // It goes on at the next start.
      if (signal.reason === closing) return;
      download.state = "paused";
    } else {
      const failure = toFailure(error);
      // Any other reason is shown to the person who asked for the download.
      const level = failure.sent.id === "download.failed" ? "warn" : "info";
      log[level]({ err: failure, model }, "a model could not be downloaded");
      download.state = "failed";
      download.error = failure.sent;
    }
    // Without it, the download goes on at the next start.
    await saveDownload(download).catch((cause: unknown) =>
      log.warn({ err: cause, model }, "the state of a download could not be saved"),
    );
    publish(download);
  }

  return {
    run,
    pause: (download) => stop(download, new Error("stopped by a person")),
    interrupt: (download) => stop(download, closing),
  };
}

type Publisher = {
  publish(download: Download): void;
  /** For changes that come often. */
  publishIfDue(download: Download): void;
};

function createPublisher(onChange: (download: ModelDownload) => void): Publisher {
  function publish(download: Download): void {
    download.publishedAtMs = performance.now();
    onChange(toView(download));
  }
  return {
    publish,
    publishIfDue(download) {
      if (performance.now() - download.publishedAtMs >= 1000 / maxEventsPerSec) publish(download);
    },
  };
}

async function stop(download: Download, reason: Error): Promise<void> {
  download.stop.abort(reason);
  await download.task;
}

/** The repository may have changed since a former attempt. */
async function removeFilesOfOtherVersion(download: Download): Promise<void> {
  const former = await readStored(download.folder);
  if (former !== undefined && !isDeepStrictEqual(former.files, toStored(download).files))
    await rm(download.folder, { recursive: true, force: true, maxRetries: 5 });
}

const toFailure = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : (toStorageError(error) ??
      new AppError("download.failed", { why: (error as Error).message }, { cause: error }));

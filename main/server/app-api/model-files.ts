// /app/models: downloads, imports and exports of models; /app/model-hub: the access token for downloads.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { ErrorId, ParamsOf } from "../../contract/messages/messages.ts";
import {
  modelExportPath,
  modelImportPath,
  type ModelDownload,
  type ModelHub,
} from "../../contract/model-downloads.ts";
import type { StreamEvent, StreamRequest } from "../../contract/command-line-streams.ts";
import type { AppEvent } from "../../contract/app-event.ts";
import { type ZipEntry, zipArchive } from "../../library/archive/zip.ts";
import type { ModelImporter } from "../../models/archives/model-importer.ts";
import type { ModelDownloads } from "../../models/download/downloads.ts";
import { manifestName } from "../../models/manifest.ts";
import type { ModelStore } from "../../models/model-store.ts";
import { attachmentHeader } from "../http/attachment.ts";
import { streamResponse } from "../http/stream-response.ts";
import { archiveUploadRoute } from "./archive-upload.ts";
import type { RawRoute, AppApiRoutes } from "./handlers.ts";

export type ModelFileDeps = {
  store: Pick<ModelStore, "find">;
  downloads: ModelDownloads;
  importer: ModelImporter;
  hub: { read(): ModelHub; setToken(token: string | null): Promise<void> };
};

export function modelFileRoutes({ store, downloads, importer, hub }: ModelFileDeps): AppApiRoutes {
  return {
    handlers: {
      listDownloads: () => ({ downloads: downloads.list() }),
      startDownload: ({ acceptLicence }, id) => downloads.start(id, { acceptLicence }),
      downloadRepository: ({ repository, ...options }, _, signal) =>
        downloads.startRepository(repository, { ...options, signal }),
      pauseDownload: (_, id) => downloads.pause(id),
      resumeDownload: (_, id) => downloads.resume(id),
      async cancelDownload(_, id) {
        await downloads.cancel(id);
        return { removed: true };
      },
      async checkModelImport(planned) {
        const fileNames = await importer.check(planned);
        return fileNames === undefined ? {} : { fileNames };
      },
      readModelHub: hub.read,
      async changeModelHub({ token }) {
        await hub.setToken(token);
        return hub.read();
      },
    },
    rawRoutes: [importRoute(importer), exportRoute(store)],
  };
}

/** `?name=` is the archive's file name. */
const importRoute = (importer: ModelImporter): RawRoute =>
  archiveUploadRoute(modelImportPath, async (path, request) => {
    const given = new URL(request.url).searchParams.get("name") ?? "model";
    const { id, name } = await importer.run(path, { name: given, signal: request.signal });
    return { id, name };
  });

/** A ZIP archive that an import takes as it is. */
const exportRoute = (store: Pick<ModelStore, "find">): RawRoute => ({
  method: "GET",
  path: modelExportPath(":id"),
  respond(_request, { id = "" }) {
    const model = store.find(id);
    if (model === undefined) throw new AppError("modelExport.unknown", { id });
    if (model.origin === "shipped") throw new AppError("modelExport.shipped", { id });
    const { dir, files, installedAt } = model;
    const names = [manifestName, ...files.map(({ name }) => name)];
    const sizes = new Map(files.map(({ name, sizeBytes }) => [name, sizeBytes]));
    async function* entries(): AsyncGenerator<ZipEntry> {
      for (const name of names)
        yield {
          name: `${id}/${name}`,
          modifiedAtMs: installedAt * 1000,
          sizeBytes: sizes.get(name) ?? 0,
          isCompressed: false,
          bytes: () => createReadStream(join(dir, name)),
        };
    }
    const archive = zipArchive(entries());
    return streamResponse(
      {
        next: async () => (await archive.next()).value,
        close: async () => void (await archive.return(undefined)),
      },
      new AbortController(),
      { "content-type": "application/zip", ...attachmentHeader(`${id}.zip`) },
    );
  },
});

export type PullDeps = {
  downloads: ModelDownloads;
  /** @returns function that unsubscribes */
  onEvent(listener: (event: AppEvent) => void): () => void;
};

/** Downloads a model and yields the progress until it is installed. @throws AppError if that fails */
export async function* pullUpdates(
  { downloads, onEvent }: PullDeps,
  { id, repository, revision, acceptLicence }: StreamRequest<"pull">,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<"pull">> {
  const received: ModelDownload[] = [];
  let arrival = Promise.withResolvers<void>();
  const wake = (): void => arrival.resolve();
  const unsubscribe = onEvent((event) => {
    if (event.type !== "model-download") return;
    received.push(event.download);
    wake();
  });
  signal.addEventListener("abort", wake);
  let started: ModelDownload | undefined;
  try {
    started = await (repository === undefined
      ? downloads.start(id ?? "", { acceptLicence })
      : downloads.startRepository(repository, { revision, acceptLicence, signal }));
    // What was published before belongs to a former download.
    received.splice(0, Infinity, started);
    for (;;) {
      signal.throwIfAborted();
      const download = received.shift();
      if (download === undefined) {
        await arrival.promise;
        arrival = Promise.withResolvers();
        continue;
      }
      if (download.id !== started.id) continue;
      yield download;
      if (download.state === "done") return;
      if (download.state === "failed") throw toError(download);
      if (download.state !== "running") throw new AppError("download.stopped", { id: download.id });
    }
  } finally {
    unsubscribe();
    const isRunning = downloads
      .list()
      .some((each) => each.id === started?.id && each.state === "running");
    if (signal.aborted && started !== undefined && isRunning) await downloads.pause(started.id);
  }
}

/** Imports a model and yields the progress until it is installed. @throws AppError if that fails */
export async function* importUpdates(
  importer: Pick<ModelImporter, "run">,
  { path }: StreamRequest<"importModel">,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<"importModel">> {
  let fraction = 0;
  let report = Promise.withResolvers<undefined>();
  const result = importer.run(path, {
    signal,
    onProgress(done) {
      fraction = done;
      report.resolve(undefined);
    },
  });
  for (;;) {
    const model = await Promise.race([result, report.promise]);
    if (model !== undefined) {
      yield { type: "done", id: model.id, name: model.name };
      return;
    }
    report = Promise.withResolvers();
    yield { type: "progress", fraction };
  }
}

/** The error is one of ours: a download stores its id and parameters. */
const toError = ({ error }: ModelDownload): AppError =>
  error?.id === undefined
    ? new AppError("verbatim", { text: error?.message ?? "" })
    : new AppError(error.id as ErrorId, (error.params ?? {}) as ParamsOf<ErrorId>);

// Downloads one file: resumes what is there, verifies size and checksum, tries a failed request again, and then the
// next mirror.

import { setTimeout as pause } from "node:timers/promises";
import { AppError, toStorageError } from "../../contract/errors.ts";
import { createMessage, type SentMessage } from "../../contract/messages/messages.ts";
import type { HubClient, HubResponse } from "./hub-client.ts";
import { PassingError } from "./hub-errors.ts";
import { openPartFile, type PartFile } from "./part-file.ts";
import { rename } from "../../storage/disk.ts";

export type FileLocation = {
  /** `owner/name` */
  readonly repository: string;
  /** A commit. */
  readonly revision: string;
  readonly path: string;
};

export type RemoteFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256?: string | undefined;
  /** Where the repository states no sha256. */
  readonly gitBlob?: string | undefined;
  /** Repositories that have the file, in order. */
  readonly locations: readonly FileLocation[];
};

/** `https://huggingface.co`, or a mirror with the same paths. */
export type Endpoint = {
  readonly baseUrl: string;
  readonly token?: string | undefined;
};

export type FileDownloadOptions = {
  client: HubClient;
  /** In order; the first ones are asked first. */
  endpoints: readonly Endpoint[];
  partPath: string;
  /** Receives the verified file by one rename. */
  filePath: string;
  signal: AbortSignal;
  /** Bytes that are there already, or negative: that were discarded. */
  onPresent(bytes: number): void;
  onArrived(bytes: number): void;
  onNote(note: SentMessage | undefined): void;
  retryDelayMs: number;
  /** Base URLs that answered in this run, for any file; added to. */
  reachedEndpoints: Set<string>;
};

/** Tries in a row without a new byte. */
const maxTries = 4;
const partialContent = 206;
const rangeNotSatisfiable = 416;

/**
 * @returns the sha256 of the file
 * @throws AppError for the first endpoint, if all fail: it is the one that people know; the signal's reason
 */
export async function downloadFile(
  file: RemoteFile,
  options: FileDownloadOptions,
): Promise<string> {
  const { endpoints, signal, partPath, filePath, onPresent } = options;
  const part = await openPartFile(
    partPath,
    { expectedBytes: file.sizeBytes, hasGitBlob: file.gitBlob !== undefined },
    signal,
  );
  onPresent(part.sizeBytes());
  const sha256 = await downloadPart().finally(part.close);
  await rename(partPath, filePath);
  return sha256;

  async function downloadPart(): Promise<string> {
    let firstError: unknown;
    const sources = endpoints.flatMap((endpoint) =>
      file.locations.map((location) => ({ ...endpoint, ...location })),
    );
    for (const source of sources) {
      try {
        return await downloadFrom(source, file, part, options);
      } catch (error) {
        signal.throwIfAborted();
        const diskError = toDiskError(error);
        if (diskError !== undefined) throw diskError;
        firstError ??= error;
      }
    }
    throw firstError instanceof PassingError ? firstError.final : firstError;
  }
}

type FileSource = Endpoint & FileLocation;

async function downloadFrom(
  source: FileSource,
  file: RemoteFile,
  part: PartFile,
  options: FileDownloadOptions,
): Promise<string> {
  const { signal, onNote, onPresent, retryDelayMs, reachedEndpoints } = options;
  for (let tries = 1, hasRestarted = false; ; tries += 1) {
    const resumedBytes = part.sizeBytes();
    try {
      if (part.sizeBytes() < file.sizeBytes) await fetchRest(source, file, part, options);
      onNote(undefined);
      const digests = part.digests();
      if (
        (file.sha256 ?? digests.sha256) === digests.sha256 &&
        (file.gitBlob ?? digests.gitBlob) === digests.gitBlob
      ) {
        await part.flush();
        return digests.sha256;
      }
      onPresent(-part.sizeBytes());
      await part.restart();
      // What was there before may have been damaged on this machine.
      if (resumedBytes > 0 && !hasRestarted) {
        hasRestarted = true;
        continue;
      }
      throw new AppError("download.wrongChecksum", {
        file: file.name,
        host: new URL(source.baseUrl).host,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PassingError)) throw error;
      if (part.sizeBytes() > resumedBytes) tries = 0;
      const wasReached = reachedEndpoints.has(source.baseUrl);
      if (tries >= maxTries || (error.isUnconnected && !wasReached)) throw error;
      const { retryAfterSec } = error.final;
      const delayMs =
        retryAfterSec === undefined ? retryDelayMs * 2 ** tries : retryAfterSec * 1000;
      const host = new URL(source.baseUrl).host;
      onNote(
        retryAfterSec === undefined
          ? createMessage("download.retrying", { host })
          : createMessage("download.waiting", { host, seconds: retryAfterSec }),
      );
      await pause(delayMs, undefined, { signal });
    }
  }
}

/** Appends what is missing, or some of it. @throws PassingError if the connection breaks off */
async function fetchRest(
  source: FileSource,
  file: RemoteFile,
  part: PartFile,
  { client, signal, onPresent, onArrived, onNote, reachedEndpoints }: FileDownloadOptions,
): Promise<void> {
  const url = fileUrl(source);
  const response = await client.get(
    {
      url,
      file: file.name,
      repository: source.repository,
      revision: source.revision,
      token: source.token,
      fromByte: part.sizeBytes(),
    },
    signal,
  );
  reachedEndpoints.add(source.baseUrl);
  try {
    const { host } = url;
    const commit = response.headers["x-repo-commit"];
    if (commit !== undefined && commit !== source.revision)
      throw new AppError("download.changed", { host, file: file.name });
    const discard = async (): Promise<void> => {
      onPresent(-part.sizeBytes());
      await part.restart();
    };
    if (!continuesAt(response, part.sizeBytes())) {
      await discard();
      if (response.status !== 200)
        throw new PassingError(new AppError("download.broken", { host }));
    }
    const wrongSizeError = (actualBytes: number): AppError =>
      new AppError("download.wrongSize", {
        host,
        file: file.name,
        actualBytes,
        expectedBytes: file.sizeBytes,
      });
    const announcedBytes =
      part.sizeBytes() + Number(response.headers["content-length"] ?? Number.NaN);
    if (announcedBytes !== file.sizeBytes && !Number.isNaN(announcedBytes))
      throw wrongSizeError(announcedBytes);
    for await (const bytes of response.bytes()) {
      if (part.sizeBytes() + bytes.length > file.sizeBytes) {
        const actualBytes = part.sizeBytes() + bytes.length;
        await discard();
        throw wrongSizeError(actualBytes);
      }
      await part.append(bytes);
      onNote(undefined);
      onArrived(bytes.length);
    }
    if (part.sizeBytes() < file.sizeBytes)
      throw new PassingError(new AppError("download.broken", { host }));
  } finally {
    response.close();
  }
}

/** Whether the bytes of the response follow those that are there. */
function continuesAt({ status, headers }: HubResponse, sizeBytes: number): boolean {
  if (status === rangeNotSatisfiable) return false;
  if (status !== partialContent) return sizeBytes === 0;
  return Number(/^bytes (\d+)-/.exec(String(headers["content-range"]))?.[1]) === sizeBytes;
}

export const toUrlPath = (path: string): string =>
  path.split("/").map(encodeURIComponent).join("/");

function fileUrl({ baseUrl, repository, revision, path }: FileSource): URL {
  return new URL(`${baseUrl}/${repository}/resolve/${toUrlPath(revision)}/${toUrlPath(path)}`);
}

/** The error for the person if this machine's disk is at fault, where no mirror would help. */
function toDiskError(error: unknown): AppError | undefined {
  const storageError = toStorageError(error);
  return storageError?.key === "storage_full"
    ? new AppError("download.diskFull", {}, { cause: error })
    : storageError;
}

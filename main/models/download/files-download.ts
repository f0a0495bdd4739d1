// Downloads all files of a model into a folder, several at once.

import { dirname, join } from "node:path";
import { stat } from "node:fs/promises";
import type { SentMessage } from "../../contract/messages/messages.ts";
import { sizeOfFiles } from "../../contract/model-size.ts";
import type { ModelFile } from "../../contract/models.ts";
import { freeBytes as diskFreeBytes, mkdir } from "../../storage/disk.ts";
import { hashFile } from "../../storage/file-hash.ts";
import { checkDiskSpace } from "../disk-space.ts";
import {
  downloadFile,
  type Endpoint,
  type FileDownloadOptions,
  type RemoteFile,
} from "./file-download.ts";
import type { HubClient } from "./hub-client.ts";

export type FilesDownloadOptions = {
  client: HubClient;
  endpoints: readonly Endpoint[];
  signal: AbortSignal;
  /** Runs the work of one file when its turn comes, unless the signal is aborted before. */
  limit<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Bytes that are there already, or negative: that were discarded. */
  onPresent(bytes: number): void;
  onArrived(bytes: number): void;
  onNote(note: SentMessage | undefined): void;
  retryDelayMs: number;
  freeBytes?(folder: string): Promise<number>;
};

/** Where the files are while they arrive, and when they are complete. */
const partPath = (folder: string, { name }: RemoteFile): string => join(folder, "parts", name);
export const filesFolder = (folder: string): string => join(folder, "files");
const filePath = (folder: string, { name }: RemoteFile): string => join(filesFolder(folder), name);

/** Bytes of a former attempt. */
export async function presentBytes(folder: string, files: readonly RemoteFile[]): Promise<number> {
  const sizes = await Promise.all(
    files.map(async (file) =>
      Math.min(
        file.sizeBytes,
        (await sizeOf(filePath(folder, file))) ?? (await sizeOf(partPath(folder, file))) ?? 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @throws AppError if there is too little room, and of any file that cannot be had; the signal's reason */
export async function downloadFiles(
  folder: string,
  files: readonly RemoteFile[],
  options: FilesDownloadOptions,
): Promise<ModelFile[]> {
  const missingBytes = sizeOfFiles(files) - (await presentBytes(folder, files));
  const { freeBytes = diskFreeBytes } = options;
  checkDiskSpace("download.noSpace", missingBytes, await freeBytes(folder));
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const run = { ...options, signal, reachedEndpoints: new Set<string>() };
  const tasks = files.map((file) => options.limit(() => downloadOne(folder, file, run), signal));
  for (const task of tasks) task.catch((error: unknown) => stop.abort(error));
  try {
    return await Promise.all(tasks);
  } finally {
    // No file is written after this.
    await Promise.allSettled(tasks);
  }
}

async function downloadOne(
  folder: string,
  file: RemoteFile,
  options: Omit<FileDownloadOptions, "partPath" | "filePath">,
): Promise<ModelFile> {
  const [part, complete] = [partPath(folder, file), filePath(folder, file)];
  for (const path of [part, complete]) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { name, sizeBytes } = file;
  if ((await sizeOf(complete)) === sizeBytes) {
    options.onPresent(sizeBytes);
    // It was verified before it got its name.
    return { name, sizeBytes, sha256: file.sha256 ?? (await hashFile(complete, options.signal)) };
  }
  const sha256 = await downloadFile(file, { ...options, partPath: part, filePath: complete });
  return { name, sizeBytes, sha256 };
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

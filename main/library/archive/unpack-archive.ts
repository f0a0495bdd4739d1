// Unpacks an archive in a child process, into as much disk space as is free.

import { extname, join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Platform } from "../../platform.ts";
import { ChildTaskLostError, runChildTask } from "../../processes/run-task.ts";
import { diskReserveBytes, freeBytes } from "../../storage/disk.ts";
import type { Unpacked, UnpackProgress, UnpackTask } from "./archive-child.ts";

export type UnpackOptions = Pick<Platform, "launchChild"> & {
  signal: AbortSignal;
  onProgress(progress: UnpackProgress): void;
};

/** Unpacking without progress for this long is aborted. */
const stallTimeoutMs = 120_000;
// Same extension as this file: source (.ts) or build (.js).
const childModule = join(import.meta.dirname, `archive-child${extname(import.meta.filename)}`);

/** @throws AppError if it is no archive, is too large, or takes too long or too much memory */
export async function unpackArchive(
  archivePath: string,
  toDir: string,
  { launchChild, signal, onProgress }: UnpackOptions,
): Promise<Unpacked> {
  const maxBytes = Math.max(0, (await freeBytes(toDir)) - diskReserveBytes);
  const task: UnpackTask = { archivePath, toDir, maxBytes };
  try {
    const unpacked = await runChildTask((options) => launchChild(childModule, options), task, {
      signal,
      timeLimitMs: stallTimeoutMs,
      onProgress: (progress) => onProgress(progress as UnpackProgress),
    });
    return unpacked as Unpacked;
  } catch (error) {
    if (error instanceof ChildTaskLostError)
      throw new AppError("archive.tooHeavy", {}, { cause: error });
    throw error;
  }
}

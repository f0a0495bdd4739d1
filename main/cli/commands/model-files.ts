// hearsay models pull, import and export: models from the hub, and from and to files of this machine.

import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { StreamEvent } from "../../contract/command-line-streams.ts";
import { modelExportPath, toRepositoryName } from "../../contract/model-downloads.ts";
import { AnswerError, type AppClient } from "../app-client.ts";
import { openAtomicFile } from "./atomic-file.ts";
import { commandError, type CommandContext, text } from "./command.ts";
import { fileError } from "./system-error.ts";

const megabyte = 1e6;

/** @param model id in the catalog, `owner/name` on the hub, or its address. Ctrl-C pauses; the same command goes on. */
export async function pullModel(
  context: CommandContext,
  client: AppClient,
  model: string,
): Promise<void> {
  const which = model.includes("/") ? { repository: toRepositoryName(model) } : { id: model };
  const updates = client.stream("pull", {
    ...which,
    revision: text(context, "revision") ?? "main",
    acceptLicence: context.values["accept-licence"] === true,
  });
  try {
    await showPull(context, updates);
  } catch (error) {
    if (!(error instanceof AnswerError) || error.code !== "licence_not_accepted") throw error;
    throw commandError(`${error.message} Having read it, add --accept-licence.`, error);
  }
}

async function showPull(
  context: CommandContext,
  updates: AsyncIterable<StreamEvent<"pull">>,
): Promise<void> {
  let lastNote: string | undefined;
  for await (const { id, state, doneBytes, totalBytes, bytesPerSec, note } of updates) {
    const speed = bytesPerSec === undefined ? "" : `  ${(bytesPerSec / megabyte).toFixed(1)} MB/s`;
    context.progress.show(
      totalBytes === 0 ? undefined : doneBytes / totalBytes,
      `${toMb(doneBytes)} of ${toMb(totalBytes)} MB${speed}`,
    );
    if (note !== undefined && note.message !== lastNote) context.warn(note.message);
    lastNote = note?.message;
    if (state !== "done") continue;
    context.progress.clear();
    await context.print(`${id}\n`);
  }
}

const toMb = (bytes: number): string => (bytes / megabyte).toFixed(bytes < 10 * megabyte ? 1 : 0);

/** @param path of a folder or archive */
export async function importModel(
  context: CommandContext,
  client: AppClient,
  path: string,
): Promise<void> {
  await stat(path).catch((error: unknown) => Promise.reject(fileError(error, path, "read")));
  // The app that reads it may be another process.
  for await (const update of client.stream("importModel", { path: await realpath(path) })) {
    if (update.type === "progress") context.progress.show(update.fraction, basename(path));
    else {
      context.progress.clear();
      await context.print(`${update.id}\n`);
    }
  }
}

const otherArchive = /\.(tar|t?gz|t?bz2?|t?xz|zst|7z|rar)$/i;

/** Writes a ZIP archive. @throws AppError if the file's name says that it is another one */
export async function exportModel(
  context: CommandContext,
  client: AppClient,
  id: string,
  path: string,
): Promise<void> {
  if (otherArchive.test(path))
    throw commandError(`models are exported as a ZIP archive: name the file ${id}.zip`);
  const file = await openAtomicFile(path);
  try {
    for await (const bytes of client.download(modelExportPath(encodeURIComponent(id)))) {
      context.signal.throwIfAborted();
      await file.write(bytes);
    }
    await file.finish();
  } finally {
    await file.discard();
  }
}

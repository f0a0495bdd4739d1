// What was dropped on the page or chosen: an archive, or files to pack as one.

import { maxImportFiles } from "../../../main/contract/model-downloads.ts";
import type { ReceivedFile } from "../../stores/accepted-files.ts";
import type { ArchivedFile } from "./tar-blob.ts";

/** `name` is that of the archive. */
export type ModelSource =
  | { readonly name: string; readonly archive: Blob }
  | { readonly name: string; readonly files: readonly ArchivedFile[] };

export const archiveTypes = ".zip,.tar,.gz,.tgz,.bz2,.tbz2";
const archiveNames = /\.(zip|tar|t?gz|t?bz2)$/i;

/** Hidden files, such as the history of a folder cloned with git, which may be as large as the model. */
const isHidden = (path: string): boolean => path.split("/").some((name) => name.startsWith("."));

/** Adds the files of an entry. Of a folder with too many, one more than an import may have. */
async function collect(entry: FileSystemEntry, files: ArchivedFile[]): Promise<void> {
  if (isHidden(entry.name) || files.length > maxImportFiles) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    files.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // It returns a part of a large folder at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const each of entries) await collect(each, files);
  }
}

function toSource(chosen: readonly ArchivedFile[]): ModelSource {
  const files = chosen.filter(({ path }) => !isHidden(path)).slice(0, maxImportFiles + 1);
  const [first] = files;
  const isSingle = files.length === 1 && first !== undefined && archiveNames.test(first.path);
  return isSingle
    ? { name: first.path, archive: first.file }
    : { name: `${first?.path.split("/")[0] ?? "model"}.tar`, files };
}

/** Chosen in a file dialog; those of a folder have a path. */
export const fromFiles = (files: readonly File[]): ModelSource =>
  toSource(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));

/** Must be called while the drop is handled: its entries are gone afterwards. */
export const fromDropped = (transfer: DataTransfer): Promise<ModelSource> =>
  fromEntries(
    [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null),
  );

/** Dropped on another page. */
export async function fromReceived(received: readonly ReceivedFile[]): Promise<ModelSource> {
  const folders = received.flatMap(({ folder }) => folder ?? []);
  return folders.length > 0 ? fromEntries(folders) : fromFiles(received);
}

async function fromEntries(entries: readonly FileSystemEntry[]): Promise<ModelSource> {
  const files: ArchivedFile[] = [];
  for (const entry of entries) await collect(entry, files);
  return toSource(files);
}

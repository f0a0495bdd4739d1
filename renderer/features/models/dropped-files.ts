// What was dropped on the page, as one archive: an archive as it is, a folder or several files packed.

import { maxImportFiles } from "../../../main/contract/model-downloads.ts";
import { tarBlob, type ArchivedFile } from "./tar-blob.ts";

export type ModelArchive = {
  readonly name: string;
  readonly content: Blob;
  /** If it is packed here. */
  readonly fileNames?: readonly string[];
};

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

function pack(chosen: readonly ArchivedFile[]): ModelArchive {
  const files = chosen.filter(({ path }) => !isHidden(path)).slice(0, maxImportFiles + 1);
  const [first] = files;
  const isSingle = files.length === 1 && first !== undefined && archiveNames.test(first.path);
  if (isSingle) return { name: first.path, content: first.file };
  return {
    name: `${first?.path.split("/")[0] ?? "model"}.tar`,
    content: tarBlob(files),
    fileNames: files.map(({ path }) => path),
  };
}

/** Chosen in a file dialog; those of a folder have a path. */
export const packFiles = (files: readonly File[]): ModelArchive =>
  pack(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));

/** Must be called while the drop is handled: its entries are gone afterwards. */
export async function packDropped(transfer: DataTransfer): Promise<ModelArchive> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const files: ArchivedFile[] = [];
  for (const entry of entries) await collect(entry, files);
  return pack(files);
}

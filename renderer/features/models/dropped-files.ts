// What was dropped on the page, as one archive: an archive as it is, a folder or several files packed.

import { tarBlob, type ArchivedFile } from "./tar-blob.ts";

export type ModelArchive = { readonly name: string; readonly content: Blob };

export const archiveTypes = ".zip,.tar,.gz,.tgz,.bz2,.tbz2";
const archiveNames = /\.(zip|tar|t?gz|t?bz2)$/i;

async function filesIn(entry: FileSystemEntry): Promise<ArchivedFile[]> {
  if (entry.isFile)
    return [
      {
        path: entry.fullPath.replace(/^\//, ""),
        file: await new Promise<File>((resolve, reject) =>
          (entry as FileSystemFileEntry).file(resolve, reject),
        ),
      },
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: ArchivedFile[] = [];
  for (;;) {
    // It returns a part of a large folder at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    for (const each of entries) files.push(...(await filesIn(each)));
  }
}

function pack(files: readonly ArchivedFile[]): ModelArchive {
  const [first] = files;
  const isSingle = files.length === 1 && first !== undefined && archiveNames.test(first.path);
  if (isSingle) return { name: first.path, content: first.file };
  return { name: `${first?.path.split("/")[0] ?? "model"}.tar`, content: tarBlob(files) };
}

/** Chosen in a file dialog; those of a folder have a path. */
export const packFiles = (files: readonly File[]): ModelArchive =>
  pack(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));

/** Must be called while the drop is handled: its entries are gone afterwards. */
export function packDropped(transfer: DataTransfer): Promise<ModelArchive> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  return Promise.all(entries.map(filesIn)).then((files) => pack(files.flat()));
}

// The folders among files from elsewhere that may hold a model.

/**
 * Folders that may be the model's, with a slash at the end, and the files in each, subfolders included; the outermost
 * first. One that only holds another is none.
 */
export function modelFolders<File extends { readonly name: string }>(
  files: readonly File[],
): [string, File[]][] {
  const filesIn = new Map<string, File[]>([["", [...files]]]);
  for (const file of files)
    for (let at = file.name.indexOf("/"); at >= 0; at = file.name.indexOf("/", at + 1)) {
      const folder = file.name.slice(0, at + 1);
      const known = filesIn.get(folder);
      if (known === undefined) filesIn.set(folder, [file]);
      else known.push(file);
    }
  const found = [...filesIn].map(([folder, inFolder]) => ({
    folder,
    inFolder,
    depth: folder.split("/").length,
  }));
  const holdingAll = found.filter(({ inFolder }) => inFolder.length === files.length);
  const minDepth = Math.max(...holdingAll.map(({ depth }) => depth));
  return found
    .filter(({ depth }) => depth >= minDepth)
    .sort((one, other) => one.depth - other.depth)
    .map(({ folder, inFolder }) => [folder, inFolder]);
}

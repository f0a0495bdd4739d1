// Which files of a folder an import needs, as far as names, sizes and small texts tell: repositories often have a model
// in every precision, and for other programs too.

import { type PlannedImport, maxPlannedTextBytes } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import { recognizeFamily } from "../families.ts";
import { manifestName } from "../manifest.ts";
import { modelFolders } from "./model-folders.ts";

type PlannedFile = NonNullable<PlannedImport["files"]>[number];

/**
 * Leaves out large files that neither the family nor a model of the catalog has. All, if the family is not known yet.
 * @throws AppError if the model cannot run here
 */
export async function neededFiles(
  files: readonly PlannedFile[],
  catalog: readonly CatalogEntry[],
): Promise<readonly PlannedFile[]> {
  const ofCatalog = new Set(catalog.flatMap((entry) => entry.files.map((file) => file.sizeBytes)));
  for (const [root, inFolder] of modelFolders(files)) {
    const below = new Map(inFolder.map((file) => [file.name.slice(root.length), file]));
    // An export has nothing else.
    if (below.has(manifestName)) return files;
    const model = await recognizeFamily({
      name: root,
      files: Array.from(below, ([name, { sizeBytes }]) => ({ name, sizeBytes })),
      readText: async (name) => below.get(name)?.text ?? "",
    });
    if (model === undefined) continue;
    const used = new Set(model.fileNames.map((name) => root + name));
    return files.filter(
      ({ name, sizeBytes }) =>
        used.has(name) || sizeBytes <= maxPlannedTextBytes || ofCatalog.has(sizeBytes),
    );
  }
  return files;
}

// Whether the files of a model are there and of the right size. Their checksums are verified when they are downloaded
// and when they are loaded, since that takes seconds.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { InstalledModel, ModelFile } from "../contract/models.ts";
import { createMessage } from "../contract/messages/messages.ts";

/** The first file that is missing from the folder or has another size. */
export const findWrongFile = (dir: string, files: readonly ModelFile[]): ModelFile | undefined =>
  files.find(
    ({ name, sizeBytes }) =>
      statSync(join(dir, name), { throwIfNoEntry: false })?.size !== sizeBytes,
  );

export function withFilesChecked(model: InstalledModel): InstalledModel {
  const wrongFile = findWrongFile(model.dir, model.files);
  const { damaged } =
    wrongFile === undefined && model.usedModel !== undefined
      ? withFilesChecked(model.usedModel)
      : {
          damaged:
            wrongFile &&
            createMessage("model.incomplete", { file: wrongFile.name, model: model.id }),
        };
  return damaged === undefined ? model : { ...model, damaged };
}

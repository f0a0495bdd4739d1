// The id of an imported model: the one that its name or manifest gives, or a free one like it. What is here already is
// not imported twice.

import { aliasNames } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry, InstalledModel } from "../../contract/models.ts";
import type { IdentifiedModel } from "./identify-model.ts";

/** @returns a function that throws AppError if the model is here already, and whole */
export function createIdChooser(
  catalog: readonly CatalogEntry[],
  installed: () => readonly InstalledModel[],
): (model: IdentifiedModel) => string {
  return ({ entry, isOfCatalog }) => {
    const same = installed().filter((model) => hasSameFiles(model, entry));
    const whole = same.find(({ damaged }) => damaged === undefined);
    if (whole !== undefined) throw new AppError("modelImport.alreadyHere", { id: whole.id });
    const repaired = same.find(({ origin }) => origin !== "shipped");
    if (repaired !== undefined) return repaired.id;
    const former = installed().find(({ id }) => id === entry.id);
    if (isOfCatalog && (former === undefined || former.damaged !== undefined)) return entry.id;
    // Some file systems take upper and lower case for the same.
    const taken = new Set(
      [...aliasNames, ...catalog.map(({ id }) => id), ...installed().map(({ id }) => id)].map(
        (id) => id.toLowerCase(),
      ),
    );
    const stem = entry.id.slice(0, maxStemLength);
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? entry.id : `${stem}-${number}`;
      if (!taken.has(id.toLowerCase())) return id;
    }
  };
}

/** Ids may have 200 characters. */
const maxStemLength = 190;

function hasSameFiles(one: CatalogEntry, other: CatalogEntry): boolean {
  const hashes = new Map(one.files.map(({ name, sha256 }) => [name, sha256]));
  return (
    one.files.length === other.files.length &&
    other.files.every(({ name, sha256 }) => hashes.get(name) === sha256)
  );
}

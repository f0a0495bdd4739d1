// Opens the library for a process that does not own the data folder: it restores nothing.

import { AppError } from "../../contract/errors.ts";
import { type Database, openDatabase } from "../../storage/database.ts";
import { backUpBeforeMigration, isMissing, type OpeningOptions } from "./open-as-owner.ts";

/** @throws AppError if the library cannot be opened, or is missing while there are backups of it */
export function openWithoutOwnership({
  dataDir,
  path,
  atMs,
  log,
  onDamage = () => {},
}: Omit<OpeningOptions, "state" | "onState">): Database {
  if (isMissing(dataDir, path)) throw new AppError("library.lost");
  backUpBeforeMigration(dataDir, path, log, atMs);
  return openDatabase(path, { onDamage });
}

// Libraries for tests, closed after them, and other processes that use the same library.

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../main/storage/database.ts";

const main = resolve(import.meta.dirname, "..", "..", "main");
const run = promisify(execFile);

/** A database for the current test, in memory unless a path is given. */
export function openTestLibrary(path = ":memory:"): Database {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  return database;
}

/** Runs a module's source in another process; `$main` in it stands for the folder main/. Resolves to its output. */
export function runInOtherProcess(
  source: string,
  args: readonly string[],
  node = process.execPath,
): Promise<{ stdout: string; stderr: string }> {
  return run(node, [
    "--input-type=module",
    "-e",
    source.replaceAll("$main", pathToFileURL(main).href),
    ...args,
  ]);
}

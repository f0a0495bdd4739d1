// Stands in for a library that cannot be opened for now, so that the API can be served: empty, and refuses every change,
// which would be lost. The library takes its place when it is opened, with the statements that were prepared meanwhile.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AppError } from "../../contract/errors.ts";
import { type Database, openDatabase } from "../../storage/database.ts";

export type StandIn = Database & {
  /** From now on everything is asked of and written to `library`. */
  replaceBy(library: Database): void;
};

export const libraryUnavailable = (): AppError =>
  new AppError(
    "library_unavailable",
    "The library in the data folder cannot be opened at the moment. Free the disk or restore its permissions: Hearsay then opens it by itself.",
  );

export function createStandIn(): StandIn {
  let current = openDatabase(":memory:");
  let isReplaced = false;
  let isServing = false;
  /** Versions of the library follow those of the stand-in. */
  let pastVersions = 0;

  function checkReplaced(): void {
    if (!isReplaced) throw libraryUnavailable();
  }

  const sqlite = {
    prepare: (sql: string) => followingStatement(() => current.sqlite, sql),
    exec: (sql: string) => current.sqlite.exec(sql),
    close: () => current.close(),
    get isOpen() {
      return current.sqlite.isOpen;
    },
    get isTransaction() {
      return current.sqlite.isTransaction;
    },
  };

  return {
    sqlite: sqlite as unknown as DatabaseSync,
    version: () => pastVersions + current.version(),
    changed: () => current.changed(),
    change(work) {
      checkReplaced();
      return current.change(work);
    },
    write(work, waitMs) {
      checkReplaced();
      return current.write(work, waitMs);
    },
    flush: () => current.flush(),
    afterCommit: (work) => current.afterCommit(work),
    setServing(now) {
      isServing = now;
      current.setServing(now);
    },
    checkpoint: () => current.checkpoint(),
    close: () => current.close(),
    replaceBy(library) {
      pastVersions += current.version() + 1;
      current.close();
      current = library;
      current.setServing(isServing);
      isReplaced = true;
    },
  };
}

/** Prepared again where another connection took the place of the one it was prepared for. */
function followingStatement(connection: () => DatabaseSync, sql: string): StatementSync {
  let of = connection();
  let statement = of.prepare(sql);
  const now = (): StatementSync => {
    const current = connection();
    if (current !== of) [of, statement] = [current, current.prepare(sql)];
    return statement;
  };
  const following: Pick<StatementSync, "all" | "get" | "run" | "iterate"> = {
    all: (...args: never[]) => now().all(...args),
    get: (...args: never[]) => now().get(...args),
    run: (...args: never[]) => now().run(...args),
    iterate: (...args: never[]) => now().iterate(...args),
  };
  return following as StatementSync;
}

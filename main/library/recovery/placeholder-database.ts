// Empty in-memory database that rejects all changes. It replaces a library that cannot be opened, so that the API can
// be served; when the library opens, prepared statements switch to it.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AppError } from "../../contract/errors.ts";
import { type Database, openDatabase } from "../../storage/database.ts";

export type PlaceholderDatabase = Database & {
  /** From now on all statements use `library`. */
  replaceWith(library: Database): void;
};

export const libraryUnavailableError = (): AppError => new AppError("library.unavailable");

export function createPlaceholderDatabase(): PlaceholderDatabase {
  let current = openDatabase(":memory:");
  let isReplaced = false;
  let isServing = false;
  /** Versions of the library continue after those of the placeholder. */
  let versionOffset = 0;

  function requireReplaced(): void {
    if (!isReplaced) throw libraryUnavailableError();
  }

  const sqlite = {
    prepare: (sql: string) => createForwardingStatement(() => current.sqlite, sql),
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
    version: () => versionOffset + current.version(),
    change(work) {
      requireReplaced();
      return current.change(work);
    },
    write(work, waitMs) {
      requireReplaced();
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
    replaceWith(library) {
      versionOffset += current.version() + 1;
      current.close();
      current = library;
      current.setServing(isServing);
      isReplaced = true;
    },
  };
}

/** A statement that is prepared again when the connection was replaced. */
function createForwardingStatement(connection: () => DatabaseSync, sql: string): StatementSync {
  let preparedFor = connection();
  let statement = preparedFor.prepare(sql);
  const currentStatement = (): StatementSync => {
    const current = connection();
    if (current !== preparedFor) [preparedFor, statement] = [current, current.prepare(sql)];
    return statement;
  };
  const forwarding: Pick<StatementSync, "all" | "get" | "run" | "iterate"> = {
    all: (...args: never[]) => currentStatement().all(...args),
    get: (...args: never[]) => currentStatement().get(...args),
    run: (...args: never[]) => currentStatement().run(...args),
    iterate: (...args: never[]) => currentStatement().iterate(...args),
  };
  return forwarding as StatementSync;
}

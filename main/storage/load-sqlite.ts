// Loads Node's SQLite.

import type * as Sqlite from "node:sqlite";

/** Suppresses only the warning of Node 24.0 that SQLite is experimental. */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature"))
      emitWarning(warning, ...rest);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** SQLite's primary result code (https://sqlite.org/rescode.html); undefined for other errors. */
export function sqliteResultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}

const sqliteBusy = 5;

/** True if another process is writing, so a retry may succeed. Also checks causes. */
export const isBusy = (error: unknown): boolean =>
  sqliteResultCode(error) === sqliteBusy ||
  (error instanceof Error && error.cause !== undefined && isBusy(error.cause));

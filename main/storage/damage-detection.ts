// Detects a damaged library file in any statement, since any may be the first to read the damaged page.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sqliteResultCode } from "./load-sqlite.ts";

// SQLite's primary result codes, https://sqlite.org/rescode.html
const sqliteError = 1;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;

/** True if the file's content is damaged, rather than a disk or permission error. Also checks causes. */
export function isDamage(error: unknown): boolean {
  const code = sqliteResultCode(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return true;
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause);
}

/**
 * Like `isDamage`, for statements that run while opening. These are correct, so a generic SQL error also means damage,
 * for example of the schema or a search index.
 */
export const isDamageWhileOpening = (error: unknown): boolean =>
  isDamage(error) ||
  sqliteResultCode(error) === sqliteError ||
  (error instanceof Error && error.cause !== undefined && isDamageWhileOpening(error.cause));

/** For damage on which no statement fails. */
export const createDamageError = (message: string): Error =>
  Object.assign(new Error(message), { errcode: sqliteCorrupt });

/** Calls `onDamage` for each error that means damage, and rethrows the error. */
export function watchForDamage(sqlite: DatabaseSync, onDamage: (error: unknown) => void): void {
  function reportingDamage<Args extends unknown[], Result>(
    call: (...args: Args) => Result,
  ): (...args: Args) => Result {
    return (...args) => {
      try {
        return call(...args);
      } catch (error) {
        if (isDamage(error)) onDamage(error);
        throw error;
      }
    };
  }
  const prepare = sqlite.prepare.bind(sqlite);
  const watchStatement = (statement: StatementSync): StatementSync => {
    for (const name of ["all", "get", "run"] as const)
      Object.defineProperty(statement, name, {
        value: reportingDamage(
          (statement[name] as (...args: unknown[]) => unknown).bind(statement),
        ),
      });
    return statement;
  };
  Object.defineProperty(sqlite, "prepare", {
    value: reportingDamage((sql: string) => watchStatement(prepare(sql))),
  });
  Object.defineProperty(sqlite, "exec", { value: reportingDamage(sqlite.exec.bind(sqlite)) });
}

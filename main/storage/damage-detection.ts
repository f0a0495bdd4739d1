// Notices a damaged file wherever it is read or written: any statement may be the first to meet the damaged page.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sqliteResultCode } from "./load-sqlite.ts";

// SQLite's primary result codes, https://sqlite.org/rescode.html
const sqliteError = 1;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;

/** Is it the file's content that is wrong, rather than the disk or the permission? Also of an error that was wrapped. */
export function isDamage(error: unknown): boolean {
  const code = sqliteResultCode(error);
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return true;
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause);
}

/**
 * As `isDamage`, of the statements of an opening, none of which is wrong by itself: they fail in plainer ways too where
 * the schema or a search index is damaged.
 */
export const isDamageWhileOpening = (error: unknown): boolean =>
  isDamage(error) ||
  sqliteResultCode(error) === sqliteError ||
  (error instanceof Error && error.cause !== undefined && isDamageWhileOpening(error.cause));

/** Of damage that no statement fails on. */
export const createDamageError = (message: string): Error =>
  Object.assign(new Error(message), { errcode: sqliteCorrupt });

/** Calls `onDamage` for each failure that tells of damage; the failure is thrown all the same. */
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

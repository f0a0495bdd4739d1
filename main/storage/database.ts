// The library's SQLite file: opens and migrates it, and counts changes. Several processes may have it open.

import { closeSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { AppError } from "../contract/errors.ts";
import { isBusy, loadSqlite, sqliteResultCode } from "./load-sqlite.ts";
import { chmodSync, openForWritingSync } from "./disk.ts";
import { createTransactions, servingBusyTimeoutMs } from "./transactions.ts";
import { createWalFlush } from "./wal-flush.ts";
import { migrations } from "./migrations.ts";
import { watchForDamage } from "./damage-detection.ts";

export type Database = {
  readonly sqlite: DatabaseSync;
  /** Number of changes by this process, which alone writes what it caches. */
  version(): number;
  /**
   * A user's change: one transaction, which increments `version()`. Durable (survives a power cut) when it returns, or
   * while requests are served, when `flush` resolves. Within another transaction it is part of that one.
   * @throws AppError `storage_full`, `storage_busy`, `storage_unavailable`: nothing is changed then
   */
  change<T>(work: () => T): T;
  /**
   * Resolves when all changes are durable: await it before a change is acknowledged. @throws AppError if the disk fails
   */
  flush(): Promise<void>;
  /**
   * A background write: one transaction, which survives a crash but not a power cut. @param waitMs maximum wait for
   * other writers @throws as `change`
   */
  write<T>(work: () => T, waitMs?: number): T;
  /** Runs after the current transaction commits, or immediately without one. Never runs after a rollback. */
  afterCommit(work: () => void): void;
  /** While requests are served on this thread, writes wait for other processes only briefly, and no checkpoint runs. */
  setServing(isServing: boolean): void;
  /** Runs a checkpoint, and truncates the log if no other connection is reading or writing. */
  checkpoint(): void;
  close(): void;
};

/** Maximum wait for other writers if it blocks no requests. */
const defaultBusyTimeoutMs = 5_000;
/** SQLite's default: the commit that reaches this log size runs a checkpoint. */
const defaultCheckpointPages = 1_000;
/**
 * While requests are served, the library's process runs checkpoints (library/process/). This limit applies if it
 * cannot.
 */
const servingCheckpointPages = 32_000;

/**
 * @param path of the file, created if missing; `:memory:` for an in-memory database
 * @throws AppError if it cannot be opened; `conflict` if a newer Hearsay wrote it
 */
export function openDatabase(
  path: string,
  {
    onDamage,
  }: {
    /** Called for each statement that fails on damage in the file. */ onDamage?(
      error: unknown,
    ): void;
  } = {},
): Database {
  let sqlite: DatabaseSync | undefined;
  try {
    if (path !== ":memory:") ensurePrivate(path);
    sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: defaultBusyTimeoutMs });
    if (onDamage !== undefined) watchForDamage(sqlite, onDamage);
    const database = createDatabase(sqlite, path);
    enableWriteAheadLog(sqlite);
    migrate(database);
    return database;
  } catch (error) {
    if (sqlite?.isOpen === true) sqlite.close();
    throw error instanceof AppError ? error : toOpenError(error);
  }
}

/**
 * Opens a library that another connection has opened before: never creates, migrates or repairs it. Writes wait for
 * other writers only briefly.
 * @throws AppError `library_unavailable` if it is missing or has another schema; also calls `onDamage`
 */
export function openExistingDatabase(path: string, onDamage: (error: unknown) => void): Database {
  // SQLite would initialize an empty file as a database and drop the log next to it.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw libraryLostError("its file is gone or empty", onDamage);
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "rw");
  const sqlite = new (loadSqlite().DatabaseSync)(url, { timeout: servingBusyTimeoutMs });
  try {
    watchForDamage(sqlite, onDamage);
    const schema = readSchemaVersion(sqlite);
    if (schema !== migrations.length)
      throw libraryLostError(`its schema is ${schema}, not ${migrations.length}`, onDamage);
    return createDatabase(sqlite, path, servingBusyTimeoutMs);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function libraryLostError(reason: string, onDamage: (error: unknown) => void): AppError {
  onDamage(new Error(`the library was taken away while it was in use: ${reason}`));
  return new AppError("library.replaced");
}

/** @param writeTimeoutMs maximum wait for other writers */
function createDatabase(
  sqlite: DatabaseSync,
  path: string,
  writeTimeoutMs = defaultBusyTimeoutMs,
): Database {
  let version = 0;
  const transactions = createTransactions(sqlite, writeTimeoutMs);
  const walFlush = createWalFlush(`${path}-wal`);

  // Usage is written constantly: waiting for the disk each time would block requests.
  sqlite.exec("PRAGMA synchronous = NORMAL");

  return {
    sqlite,
    version: () => version,
    change(work) {
      if (sqlite.isTransaction) return work();
      const isServing = transactions.isServing();
      if (!isServing) sqlite.exec("PRAGMA synchronous = FULL");
      try {
        return transactions.run(work);
      } finally {
        if (isServing) walFlush.markDirty();
        else sqlite.exec("PRAGMA synchronous = NORMAL");
        version += 1;
      }
    },
    flush: walFlush.flush,
    write: transactions.run,
    afterCommit: transactions.afterCommit,
    setServing(isServing) {
      transactions.setServing(isServing);
      sqlite.exec(
        `PRAGMA wal_autocheckpoint = ${isServing ? servingCheckpointPages : defaultCheckpointPages}`,
      );
    },
    checkpoint() {
      sqlite.exec("PRAGMA wal_checkpoint(PASSIVE)");
      // This step blocks writers, so it does not wait for readers; few pages are left to move.
      transactions.setBusyTimeout(0);
      sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    close() {
      if (sqlite.isOpen) sqlite.close();
    },
  };
}

// SQLite's primary result code, https://sqlite.org/rescode.html
const sqliteFull = 13;

/** Sets the file's permissions before SQLite opens it: SQLite copies its mode to the files next to it. */
function ensurePrivate(path: string): void {
  try {
    closeSync(openForWritingSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Fails harmlessly if another user owns the file.
    try {
      chmodSync(path, 0o600);
    } catch {}
  }
}

/**
 * WAL mode: readers and the writer do not block each other. The switch itself ignores the busy timeout, hence this
 * loop.
 */
function enableWriteAheadLog(sqlite: DatabaseSync): void {
  const waitCell = new Int32Array(new SharedArrayBuffer(4));
  for (const untilMs = Date.now() + defaultBusyTimeoutMs; ;) {
    try {
      sqlite.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > untilMs) throw error;
      Atomics.wait(waitCell, 0, 0, 5);
    }
  }
}

function migrate({ sqlite, write }: Database): void {
  if (readSchemaVersion(sqlite) === migrations.length) return;
  write(() => {
    // Read again within the transaction: another process may have migrated it.
    const currentVersion = readSchemaVersion(sqlite);
    if (currentVersion > migrations.length) {
      throw new AppError("library.newer", { schema: currentVersion, known: migrations.length });
    }
    for (const step of migrations.slice(currentVersion)) sqlite.exec(step);
    sqlite.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

const readSchemaVersion = (sqlite: DatabaseSync): number =>
  Number(sqlite.prepare("PRAGMA user_version").get()?.["user_version"]);

function toOpenError(error: unknown): AppError {
  if (
    sqliteResultCode(error) === sqliteFull ||
    (error as NodeJS.ErrnoException).code === "ENOSPC"
  ) {
    return new AppError("library.noRoom", {}, { cause: error });
  }
  // Messages of SQLite contain no path, those of the file system do.
  const reason =
    sqliteResultCode(error) === undefined
      ? ((error as NodeJS.ErrnoException).code ?? "unknown reason")
      : (error as Error).message;
  return new AppError("library.unopenable", { why: reason }, { cause: error });
}

// The library's one file: opens it, brings its schema up to date, tells when something in it changed, and keeps
// writers in turn. Several processes have it open at once. What the tables hold is the matter of those who ask.

import { closeSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { AppError, toStorageError } from "../contract/errors.ts";
import { isBusy, loadSqlite, sqliteResultCode } from "./load-sqlite.ts";
import { beforeWrite, chmodSync, openForWritingSync } from "./disk.ts";
import { createWalFlush } from "./wal-flush.ts";
import { migrations } from "./migrations.ts";
import { watchForDamage } from "./damage-detection.ts";

export type Database = {
  readonly sqlite: DatabaseSync;
  /** Another number after any change, by this process or another. Cheap enough for every request: about 3 µs. */
  version(): number;
  /** To be called after own writes that others cache. */
  markChanged(): void;
  /**
   * What a person does: one transaction, safe from a power cut when this returns, or while requests are served when
   * `flush` is done; seen in `version()`. Within another transaction it is a part of that one.
   * @throws AppError `storage_full`, `storage_busy`, `storage_unavailable`: nothing was changed then
   */
  change<T>(work: () => T): T;
  /** Resolves when all changes are safe from a power cut: to be awaited before one is acknowledged. @throws AppError where the disk fails */
  flush(): Promise<void>;
  /** What the machine does: one transaction, safe from a crash of this process. Waits for other writers so long. @throws as `change` */
  write<T>(work: () => T, waitMs?: number): T;
  /** Runs when the transaction under way is committed, at once where there is none; never where it is taken back. */
  afterCommit(work: () => void): void;
  /** While requests are served in this thread, no write waits for another process's for longer than a moment, or moves the log into the file. */
  setServing(isServing: boolean): void;
  /** Moves the log into the file, and empties it where nobody reads or writes at the moment. */
  checkpoint(): void;
  close(): void;
};

/** A request asks several times: what another process did shows this much later. */
const defaultVersionCacheMs = 1;
/** How long writers wait for each other where nothing else is held up by it. */
const defaultBusyTimeoutMs = 5_000;
/** And while requests are served: all writes together, until the event loop turns again. */
const servingBusyTimeoutMs = 25;
/** SQLite's own: with the commit that makes the log so long it is moved into the file. */
const defaultCheckpointPages = 1_000;
/** While requests are served that is library-process/'s work: this is for where it cannot. */
const servingCheckpointPages = 32_000;

/**
 * @param path of the file, made where there is none; `:memory:` for none at all
 * @param versionCacheMs what another process did may show so much later in `version()`
 * @throws AppError where it cannot be opened; `conflict` where a newer Hearsay wrote it
 */
export function openDatabase(
  path: string,
  versionCacheMs = defaultVersionCacheMs,
  {
    onDamage,
  }: {
    /** Told of each statement that meets damage in the file. */ onDamage?(error: unknown): void;
  } = {},
): Database {
  let sqlite: DatabaseSync | undefined;
  try {
    if (path !== ":memory:") ensurePrivate(path);
    sqlite = new (loadSqlite().DatabaseSync)(path, { timeout: defaultBusyTimeoutMs });
    if (onDamage !== undefined) watchForDamage(sqlite, onDamage);
    const database = createDatabase(sqlite, path, versionCacheMs);
    enableWriteAheadLog(sqlite);
    migrate(database);
    return database;
  } catch (error) {
    if (sqlite?.isOpen === true) sqlite.close();
    throw error instanceof AppError ? error : toOpenError(error);
  }
}

/**
 * Opens a library beside whoever opened it first: never makes, migrates or repairs one. Its writes wait for other
 * writers only for a moment.
 * @throws AppError `library_unavailable` where it is gone or has another schema: `onDamage` is told
 */
export function openExistingDatabase(path: string, onDamage: (error: unknown) => void): Database {
  // SQLite makes an empty file a library, and drops the log beside it.
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
    return createDatabase(sqlite, path, defaultVersionCacheMs, servingBusyTimeoutMs);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function libraryLostError(reason: string, onDamage: (error: unknown) => void): AppError {
  onDamage(new Error(`the library was taken away while it was in use: ${reason}`));
  return new AppError(
    "library_unavailable",
    "The library in the data folder was taken away or replaced while Hearsay ran. Restart Hearsay.",
  );
}

/** @param writeTimeoutMs how long writes wait for other writers */
function createDatabase(
  sqlite: DatabaseSync,
  path: string,
  versionCacheMs: number,
  writeTimeoutMs = defaultBusyTimeoutMs,
): Database {
  const dataVersion = sqlite.prepare("PRAGMA data_version");
  dataVersion.setReturnArrays(true);
  let version = 0;
  let seenDataVersion: unknown;
  let checkedAtMs = -Infinity;
  let busyTimeoutMs = writeTimeoutMs;
  let isServing = false;
  /** Another process was still writing after the last wait: it may do so for long, and waiting again would hold up everybody. */
  let isBlocked = false;
  /** In this turn of the event loop. */
  let waitedMs = 0;
  let commitCallbacks: (() => void)[] = [];
  const walFlush = createWalFlush(`${path}-wal`);

  const markChanged = (): void => {
    version += 1;
  };

  const remainingTimeoutMs = (waitMs: number): number =>
    !isServing
      ? waitMs
      : isBlocked
        ? 0
        : Math.max(0, Math.floor(Math.min(waitMs, servingBusyTimeoutMs - waitedMs)));

  function beginTransaction(waitMs: number): void {
    const timeoutMs = remainingTimeoutMs(waitMs);
    if (timeoutMs !== busyTimeoutMs) sqlite.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
    busyTimeoutMs = timeoutMs;
    const startMs = performance.now();
    try {
      // IMMEDIATE: the turn is taken before anything is read, else a reader who wants to write could not wait for it.
      sqlite.exec("BEGIN IMMEDIATE");
      isBlocked = false;
    } catch (error) {
      isBlocked = isBusy(error);
      throw error;
    } finally {
      if (waitedMs === 0) setImmediate(() => (waitedMs = 0)).unref();
      waitedMs += performance.now() - startMs;
    }
  }

  const write = <T>(work: () => T, waitMs = writeTimeoutMs): T => {
    if (sqlite.isTransaction) return work();
    let result: T;
    try {
      beforeWrite("database");
      beginTransaction(waitMs);
      try {
        result = work();
        sqlite.exec("COMMIT");
      } catch (error) {
        commitCallbacks = [];
        rollBack(sqlite);
        throw error;
      }
    } catch (error) {
      throw toStorageError(error) ?? error;
    }
    const callbacks = commitCallbacks;
    commitCallbacks = [];
    for (const callback of callbacks) callback();
    return result;
  };

  // Usage is written all the time: waiting for the disk each time would hold up requests.
  sqlite.exec("PRAGMA synchronous = NORMAL");

  return {
    sqlite,
    version() {
      const nowMs = performance.now();
      if (nowMs - checkedAtMs < versionCacheMs) return version;
      checkedAtMs = nowMs;
      // Counts commits of other connections only.
      const [now] = dataVersion.get() as unknown as [number];
      if (now !== seenDataVersion) markChanged();
      seenDataVersion = now;
      return version;
    },
    markChanged,
    change(work) {
      if (sqlite.isTransaction) return work();
      if (!isServing) sqlite.exec("PRAGMA synchronous = FULL");
      try {
        return write(work);
      } finally {
        if (isServing) walFlush.markDirty();
        else sqlite.exec("PRAGMA synchronous = NORMAL");
        markChanged();
      }
    },
    flush: walFlush.flush,
    write,
    afterCommit(work) {
      if (sqlite.isTransaction) commitCallbacks.push(work);
      else work();
    },
    setServing(now) {
      isServing = now;
      sqlite.exec(
        `PRAGMA wal_autocheckpoint = ${now ? servingCheckpointPages : defaultCheckpointPages}`,
      );
    },
    checkpoint() {
      sqlite.exec("PRAGMA wal_checkpoint(PASSIVE)");
      // Writers wait for this one: what is left to move is little, and a reader is not waited for.
      sqlite.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
      busyTimeoutMs = 0;
    },
    close() {
      if (sqlite.isOpen) sqlite.close();
    },
  };
}

/** A full disk may have ended the transaction by itself. */
function rollBack(sqlite: DatabaseSync): void {
  try {
    if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
  } catch {
    // What made the transaction fail says more.
  }
}

// SQLite's primary result code, https://sqlite.org/rescode.html
const sqliteFull = 13;

/** Its owner's alone before SQLite sees it: the files SQLite puts beside it take over its mode. */
function ensurePrivate(path: string): void {
  try {
    closeSync(openForWritingSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Without effect, and without harm, where the file is another's.
    try {
      chmodSync(path, 0o600);
    } catch {}
  }
}

/** Readers and the one writer do not hold each other up. The switch itself does not wait for others, so this does. */
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
    // Asked again: another process may have been first.
    const currentVersion = readSchemaVersion(sqlite);
    if (currentVersion > migrations.length) {
      throw new AppError(
        "conflict",
        `The library in the data folder was written by a newer Hearsay (its schema is ${currentVersion}, this one knows ${migrations.length}). Use that one, or another data folder.`,
      );
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
    return new AppError(
      "storage_full",
      "The library in the data folder cannot be opened: there is no room left on the disk.",
      { cause: error },
    );
  }
  // SQLite's own words name no path, the file system's do.
  const reason =
    sqliteResultCode(error) === undefined
      ? ((error as NodeJS.ErrnoException).code ?? "unknown reason")
      : (error as Error).message;
  return new AppError("internal", `The library in the data folder cannot be opened: ${reason}.`, {
    cause: error,
  });
}

// Transcribes what appears in a folder once it stops growing, and writes the transcripts beside it. The folder is read
// every few seconds instead of waiting for notifications: these are missing on network disks and when a disk is
// unplugged and comes back, and do not tell when a file has stopped growing.

import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import { createMessage, type SentMessage } from "../../contract/messages/messages.ts";
import type { TranscriptExport } from "../../contract/transcript-export.ts";
import type { WatchedFile, WatchPreferences, WatchStatus } from "../../contract/watch-folder.ts";
import type { Log } from "../../log.ts";
import { type ListedFile, listMedia } from "./list-media.ts";
import type { WatchedFiles, WatchedFileStore } from "./watched-files.ts";
import { writeResult } from "./write-results.ts";

export type WatchFolderDeps = {
  preferences(): WatchPreferences;
  /** Its files are the app's own: recordings, episodes, temporary ones. A folder in it is not read. */
  dataDir: string;
  /** @throws AppError */
  importFile(path: string): Promise<Item>;
  /** Undefined if it was removed. */
  findItem(id: string): Item | undefined;
  /** @param mediaName the recording beside the result */
  exportTranscript(item: Item, format: TranscriptExport, mediaName: string): Promise<Uint8Array>;
  store: WatchedFileStore;
  /** Called when the status changed. */
  onChange(): void;
  log: Log;
  /** A file whose size stays the same for this long has stopped growing. */
  intervalMs?: number;
};

export type WatchFolder = {
  /** Reads the folder now, and from then on every few seconds. Never rejects. */
  scan(): Promise<void>;
  status(): WatchStatus;
  close(): Promise<void>;
};

const defaultIntervalMs = 3000;
/** Each is copied into the library before it waits for its transcription. */
const maxWorking = 4;
const maxShownFiles = 50;
const maxStoredFiles = 10_000;

/** Also where a link leads there. @throws if the folder does not exist */
async function isWithin(folder: string, parent: string): Promise<boolean> {
  const path = relative(await realpath(parent), await realpath(folder));
  return !isAbsolute(path) && !/^\.\.(?:[\\/]|$)/.test(path);
}

const isReadable = (folder: string): Promise<boolean> =>
  listMedia(folder).then(
    () => true,
    () => false,
  );

export function createWatchFolder(deps: WatchFolderDeps): WatchFolder {
  const { preferences, dataDir, onChange, log, intervalMs = defaultIntervalMs } = deps;
  let state: WatchStatus["state"] = "off";
  /** Files of the last scan that were not there or different in the one before. */
  let growing = new Map<string, ListedFile>();
  let timer: NodeJS.Timeout | undefined;
  let scanning: Promise<void> | undefined;
  let isClosed = false;

  const { read, save, put } = createRecords(deps);

  function setState(next: WatchStatus["state"]): void {
    if (state === next) return;
    state = next;
    onChange();
  }

  async function readFolder(): Promise<void> {
    const { folder } = preferences();
    if (folder === "") {
      // What is there when it is watched again is left alone.
      if (read().folder !== "") save({ folder: "", files: [] });
      return setState("off");
    }
    if (await isWithin(folder, dataDir).catch(() => false)) return setState("ownFolder");
    const listed = await listMedia(folder).catch(() => undefined);
    if (listed === undefined) return setState("missing");
    setState(listed.isComplete ? "watching" : "tooMany");
    if (read().folder !== folder)
      save({ folder, files: listed.files.map((file) => ({ ...file, state: "known" })) });
    await importNew(folder, listed.files);
    await finishWork(folder, listed.files);
  }

  async function importNew(folder: string, listedFiles: readonly ListedFile[]): Promise<void> {
    const seenBefore = growing;
    const records = new Map(read().files.map((file) => [file.name, file]));
    const newFiles = listedFiles.filter((file) => !isSame(records.get(file.name), file));
    growing = new Map(newFiles.map((file) => [file.name, file]));
    // Those that were moved away meanwhile must not hold up others for good.
    const names = new Set(listedFiles.map(({ name }) => name));
    let workingCount = [...records.values()].filter(
      ({ state: fileState, name }) => fileState === "working" && names.has(name),
    ).length;
    for (const file of newFiles) {
      if (isClosed || preferences().folder !== folder || workingCount >= maxWorking) return;
      if (file.sizeBytes === 0 || !isSame(seenBefore.get(file.name), file)) continue;
      growing.delete(file.name);
      put(await importOne(folder, file));
      workingCount += 1;
    }
  }

  async function importOne(folder: string, file: ListedFile): Promise<WatchedFile> {
    try {
      const { id } = await deps.importFile(join(folder, file.name));
      return { ...file, state: "working", itemId: id };
    } catch (error) {
      // The next start imports it.
      if (isClosed) throw error;
      // The disk is full, or was unplugged: a later reading tries again.
      const isPassing = toStorageError(error) !== undefined || !(await isReadable(folder));
      if (isPassing) throw error;
      log.info({ err: error }, "a file of the watched folder could not be imported");
      return { ...file, state: "failed", error: toMessage(error, file.name) };
    }
  }

  /** Writes the results of ended work, of files that are still there. */
  async function finishWork(folder: string, listedFiles: readonly ListedFile[]): Promise<void> {
    const names = new Set(listedFiles.map(({ name }) => name));
    for (const file of read().files) {
      if (isClosed) return;
      if (file.state !== "working" || !names.has(file.name)) continue;
      const item = file.itemId === undefined ? undefined : deps.findItem(file.itemId);
      const { error: _, ...rest } = file;
      if (item === undefined)
        put({ ...rest, state: "failed", error: createMessage("watch.itemRemoved") });
      else if (item.state === "done") put(await writeResults(deps, folder, rest, item));
      else if (item.state === "failed" || item.state === "cancelled")
        put({ ...rest, state: "failed", error: errorOf(item) });
    }
  }

  function scan(): Promise<void> {
    if (isClosed || scanning !== undefined) return scanning ?? Promise.resolve();
    clearTimeout(timer);
    scanning = readFolder()
      .catch((error: unknown) => log.warn({ err: error }, "the watched folder could not be read"))
      .finally(() => {
        scanning = undefined;
        if (!isClosed) timer = setTimeout(() => void scan(), intervalMs).unref();
      });
    return scanning;
  }

  return {
    scan,

    status: () => ({
      state,
      // Until it was read, the records are of the former folder.
      files:
        state === "off" || read().folder !== preferences().folder ? [] : shownFiles(read().files),
    }),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await scanning;
    },
  };
}

/** The newest first, without those that were there before. */
const shownFiles = (files: readonly WatchedFile[]): WatchedFile[] =>
  files
    .filter((file) => file.state !== "known")
    .slice(-maxShownFiles)
    .toReversed();

/** What happened to each file, kept in memory and in the library. */
function createRecords({ store, onChange }: Pick<WatchFolderDeps, "store" | "onChange">) {
  let cached: WatchedFiles | undefined;
  const read = (): WatchedFiles => (cached ??= store.read());

  function save(watched: WatchedFiles): void {
    // First: if it cannot be stored now, the file should still not be imported again and again.
    cached = watched;
    store.save(watched);
    onChange();
  }

  /** Newest records are the last ones. */
  function put(record: WatchedFile): void {
    const { folder, files } = read();
    const others = files.filter(({ name }) => name !== record.name);
    save({ folder, files: [...others, record].slice(-maxStoredFiles) });
  }

  return { read, save, put };
}

/** @returns the file's record */
async function writeResults(
  { preferences, exportTranscript, log }: WatchFolderDeps,
  folder: string,
  file: WatchedFile,
  item: Item,
): Promise<WatchedFile> {
  try {
    for (const format of preferences().formats)
      await writeResult(folder, file.name, format, await exportTranscript(item, format, file.name));
    return { ...file, state: "done" };
  } catch (error) {
    log.warn({ err: error }, "a transcript could not be written into the watched folder");
    // If the disk was just unplugged, the results are written when it is back.
    if (!(await isReadable(folder))) return file;
    return {
      ...file,
      state: "failed",
      error: createMessage("watch.notWritten", { name: file.name }),
    };
  }
}

const isSame = (one: ListedFile | undefined, other: ListedFile): boolean =>
  one?.sizeBytes === other.sizeBytes && one.changedAtMs === other.changedAtMs;

const toMessage = (error: unknown, name: string): SentMessage =>
  error instanceof AppError ? error.sent : createMessage("file.unreadable", { name });

const errorOf = ({ state, error, errorReference }: Item): SentMessage =>
  state === "failed" && error !== undefined
    ? { message: error, ...errorReference }
    : createMessage("watch.cancelled");

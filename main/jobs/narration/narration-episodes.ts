// Finished narrations as files of a podcast: an MP3 each, made when it is first asked for and kept in a folder of their
// own. The name of a file says what it was made from, so that another one is made when the narration has changed.

import { hash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { NarrationExport, Pronunciation } from "../../contract/narration.ts";
import type { Items } from "../../library/items.ts";
import type { Log } from "../../log.ts";
import { createTurns } from "../../processes/run-in-turns.ts";
import { mkdir, rename } from "../../storage/disk.ts";
import type { NarrationJobs } from "./narration-jobs.ts";

export type Episode = {
  itemId: string;
  title: string;
  author: string;
  /** How it begins. */
  excerpt: string;
  durationSec: number;
  sizeBytes: number;
  publishedAtMs: number;
  coverType?: "image/jpeg" | "image/png";
};

export type NarrationEpisodes = {
  /**
   * Those that have their file, the newest narration first. Starts to make the files of all others, and waits for them
   * at most for this time.
   */
  list(maxWaitMs: number): Promise<Episode[]>;
  /** Of the finished narrations, how many have their file. */
  count(): Promise<{ ready: number; total: number }>;
  /** Path of the file, which is made if needed. @throws AppError if the narration is not finished */
  audioPath(itemId: string): Promise<string>;
  /** Deletes the files of a narration. */
  remove(itemId: string): Promise<void>;
  /** Stops what is being made and deletes all files. */
  clear(): Promise<void>;
  /** Stops what is being made. */
  close(): Promise<void>;
};

export type NarrationEpisodesDeps = {
  items: Pick<Items, "list" | "read">;
  narrationJobs: Pick<
    NarrationJobs,
    "prepare" | "generatedSentences" | "readDetails" | "exportAudiobook"
  >;
  /** Of all narrations; the same array until one changes. */
  pronunciations(): readonly Pronunciation[];
  /** Created when the first file is made. */
  folder: string;
  /** A file was made. */
  onChange(): void;
  log: Log;
};

/** As the audio of a narration was at one moment. */
type Spoken = { digest: string; durationSec: number; excerpt: string };
/** `fileName` stands for everything that is in the file. */
type Finished = Omit<Episode, "sizeBytes"> & { fileName: string };

const exportOptions: NarrationExport = {
  format: "mp3",
  perChapter: false,
  normalise: true,
  subtitles: "none",
};
const maxExcerptCharacters = 300;

export function createNarrationEpisodes(deps: NarrationEpisodesDeps): NarrationEpisodes {
  const { items, folder, log } = deps;
  const readFinished = createFinishedReader(deps);
  const inTurn = createTurns();
  const inProgress = new Map<string, Promise<string>>();
  let stop = new AbortController();

  const pathOf = ({ fileName }: Finished): string => join(folder, fileName);
  const listFileNames = (): Promise<string[]> => readdir(folder).catch(() => []);

  async function listFinished(): Promise<Finished[]> {
    const finished: Finished[] = [];
    for (const item of items.list({ kind: "narration" })) {
      const one = await readFinished(item).catch((error: unknown) => {
        // Removed meanwhile, or not finished.
        if (!(error instanceof AppError)) log.warn({ err: error }, "a narration is not readable");
      });
      if (one !== undefined) finished.push(one);
    }
    return finished;
  }

  async function removeFiles(isRemoved: (fileName: string) => boolean): Promise<void> {
    for (const fileName of await listFileNames())
      if (isRemoved(fileName)) await rm(join(folder, fileName), { force: true });
  }

  const removeFilesOf = (itemId: string, keptName?: string): Promise<void> =>
    removeFiles((fileName) => fileName.startsWith(`${itemId}-`) && fileName !== keptName);

  async function makeFile(itemId: string, signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const finished = await readFinished(items.read(itemId));
      if (await exists(pathOf(finished))) return pathOf(finished);
      const { exportAudiobook } = deps.narrationJobs;
      const exported = await exportAudiobook(itemId, exportOptions, signal, () => {});
      try {
        const [file] = exported.files;
        const { fileName } = await readFinished(items.read(itemId));
        // Otherwise the narration was changed while the file was made.
        if (file === undefined || fileName !== finished.fileName) continue;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(file.path, pathOf(finished));
      } finally {
        await exported.remove();
      }
      await removeFilesOf(itemId, finished.fileName);
      deps.onChange();
      return pathOf(finished);
    }
  }

  /** One file at a time, since every process of the engines may be needed for something else. */
  function makeInTurn(itemId: string): Promise<string> {
    const pending = inProgress.get(itemId);
    if (pending !== undefined) return pending;
    const { signal } = stop;
    const made = inTurn(() => makeFile(itemId, signal)).finally(() => inProgress.delete(itemId));
    inProgress.set(itemId, made);
    return made;
  }

  async function makeAll(itemIds: readonly string[], maxWaitMs: number): Promise<void> {
    const files = itemIds.map((itemId) =>
      makeInTurn(itemId).catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error, itemId }, "an episode could not be made");
      }),
    );
    await waitAtMost(maxWaitMs, Promise.all(files));
  }

  async function cancel(): Promise<void> {
    stop.abort(new AppError("closing"));
    await inTurn(async () => {});
  }

  return {
    async list(maxWaitMs) {
      const existing = new Set(await listFileNames());
      const missing = (await listFinished()).filter(({ fileName }) => !existing.has(fileName));
      if (missing.length > 0)
        await makeAll(
          missing.map(({ itemId }) => itemId),
          maxWaitMs,
        );
      const episodes: Episode[] = [];
      for (const { fileName, ...episode } of await listFinished()) {
        const file = await stat(join(folder, fileName)).catch(() => undefined);
        if (file !== undefined) episodes.push({ ...episode, sizeBytes: file.size });
      }
      return episodes;
    },
    async count() {
      const existing = new Set(await listFileNames());
      const finished = await listFinished();
      const ready = finished.filter(({ fileName }) => existing.has(fileName)).length;
      return { ready, total: finished.length };
    },
    async audioPath(itemId) {
      const path = pathOf(await readFinished(items.read(itemId)));
      return (await exists(path)) ? path : makeInTurn(itemId);
    },
    remove: (itemId) => removeFilesOf(itemId),
    async clear() {
      await cancel();
      stop = new AbortController();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    close: cancel,
  };
}

async function waitAtMost(maxWaitMs: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([
    work,
    pause(maxWaitMs, undefined, { signal: waiting.signal, ref: false }).catch(() => {}),
  ]);
  waiting.abort();
}

/** @returns a function that throws an AppError if the narration is not finished */
function createFinishedReader({
  narrationJobs,
  pronunciations,
}: NarrationEpisodesDeps): (item: Item) => Promise<Finished> {
  /** Reading a script takes long, and players ask often. */
  const known = new Map<
    string,
    { changedAtMs: number; pronunciations: readonly Pronunciation[]; spoken: Promise<Spoken> }
  >();

  async function readSpoken(itemId: string): Promise<Spoken> {
    await narrationJobs.prepare(itemId);
    const sentences = await narrationJobs.generatedSentences(itemId);
    return {
      digest: hash("sha256", JSON.stringify(sentences)),
      durationSec: sentences.reduce(
        (sum, { durationSec, pauseSec }) => sum + durationSec + pauseSec,
        -(sentences.at(-1)?.pauseSec ?? 0),
      ),
      excerpt: excerptOf(sentences),
    };
  }

  function readSpokenOnce({ id, changedAtMs }: Item): Promise<Spoken> {
    const spokenAs = pronunciations();
    const earlier = known.get(id);
    if (earlier?.changedAtMs === changedAtMs && earlier.pronunciations === spokenAs)
      return earlier.spoken;
    const spoken = readSpoken(id);
    known.set(id, { changedAtMs, pronunciations: spokenAs, spoken });
    spoken.catch((error: unknown) => {
      if (!(error instanceof AppError)) known.delete(id);
    });
    return spoken;
  }

  return async (item) => {
    const { digest, durationSec, excerpt } = await readSpokenOnce(item);
    const { title, author, coverPath, coverType } = await narrationJobs.readDetails(item.id);
    const cover = coverPath === undefined ? undefined : await stat(coverPath);
    const words = { title: title === "" ? item.title : title, author };
    const version = hash(
      "sha256",
      JSON.stringify([digest, words, cover?.size, cover?.mtimeMs, exportOptions]),
    ).slice(0, 16);
    return {
      itemId: item.id,
      ...words,
      excerpt,
      durationSec,
      publishedAtMs: item.createdAtMs,
      ...(coverType === undefined ? {} : { coverType }),
      fileName: `${item.id}-${version}.mp3`,
    };
  };
}

/** The first sentences as written. */
function excerptOf(sentences: readonly { written: string }[]): string {
  let text = "";
  for (const { written } of sentences) {
    if (text.length + written.length > maxExcerptCharacters)
      return text === "" ? `${written.slice(0, maxExcerptCharacters)}…` : text;
    text += text === "" ? written : ` ${written}`;
  }
  return text;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

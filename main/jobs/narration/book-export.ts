// A finished narration as files: takes and pauses joined by a child of the pool, at one loudness where that is
// wished, with chapters, tags, and subtitles beside them. See book-plan.ts for what goes where.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { toSrt, toVtt } from "../../transcript/subtitles.ts";
import { takeRateHz } from "../../audiobook/take-file.ts";
import { createRestarts } from "../../engines/pool/retry-on-child-loss.ts";
import { AppError } from "../../contract/errors.ts";
import type { NarrationExport } from "../../contract/studio.ts";
import type { Pool, PoolJob } from "../../engines/pool/pool.ts";
import type { BookAim } from "../../audiobook/book-making.ts";
import { mkdtemp, writeFile } from "../../storage/disk.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import { type MadeSentence, type PlannedFile, planBook } from "../../audiobook/book-plan.ts";
import { type Book, chosenTake } from "./open-books.ts";

export type BookExport = {
  /** Of all of it. */
  title: string;
  /** In the order they are listened to. `name` is made of titles: it is to be made fit for a file system. */
  files: { name: string; extension: string; path: string }[];
  /** Takes the files away again. */
  remove(): Promise<void>;
};

export type BookOptions = NarrationExport & { title: string; author: string; cover?: Uint8Array };

export type BookExportDeps = {
  pool: Pool;
  tempDir: () => string;
  takePath(itemId: string, takeId: string): string;
  /** Told how much of the work is done, 0 to 1. */ onProgress?(part: number): void;
};

/** Some minutes of sound: a task of seconds, between which others have their turn. */
const partsAtOnce = 40;

type PoolPart = { wavPath: string; pauseSec: number };

/** Aborting ends it and leaves nothing behind. */
export async function exportBook(
  { pool, tempDir, takePath, onProgress = () => {} }: BookExportDeps,
  book: Book,
  options: BookOptions,
  signal: AbortSignal,
): Promise<BookExport> {
  const sentences = await runInSlices(madeSentences(book));
  const { format, title, author, cover, perChapter, normalise, subtitles } = options;
  const planned = await runInSlices(planBook(sentences, title, perChapter, 1 / takeRateHz));
  const folder = await mkdtemp(join(tempDir(), "book-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const job = pool.job(signal);
  const passes = normalise ? 2 : 1;
  let doneParts = 0;
  const onParts = (count: number): void => {
    doneParts += count;
    onProgress(Math.min(1, doneParts / (passes * sentences.length)));
  };
  const partsOf = (file: PlannedFile): PoolPart[] =>
    file.parts.map(({ takeId, pauseSec }) => ({
      wavPath: takePath(book.itemId, takeId),
      pauseSec,
    }));
  try {
    // One gain for the whole book: chapters keep their loudness towards each other.
    const measured = normalise
      ? (await makeBook(job, { kind: "measure" }, planned.flatMap(partsOf), onParts)).lufs
      : undefined;
    const files: BookExport["files"] = [];
    for (const [place, file] of planned.entries()) {
      const path = join(folder, `${place}.${format}`);
      const name =
        file.track === undefined
          ? file.title
          : `${String(file.track).padStart(String(planned.length).length, "0")} ${file.title}`;
      const tags = {
        title: file.title,
        album: title,
        ...(author === "" ? {} : { author }),
        ...(file.track === undefined ? {} : { track: file.track }),
      };
      const aim: BookAim = {
        kind: "write",
        file: {
          path,
          format,
          ...tags,
          chapters: file.chapters,
          ...(cover === undefined ? {} : { cover }),
        },
        ...(measured === undefined ? {} : { measuredLufs: measured }),
      };
      await makeBook(job, aim, partsOf(file), onParts);
      files.push({ name, extension: format, path });
      if (subtitles === "none") continue;
      const subtitlePath = join(folder, `${place}.${subtitles}`);
      await writeFile(subtitlePath, subtitles === "srt" ? toSrt(file.cues) : toVtt(file.cues));
      files.push({ name, extension: subtitles, path: subtitlePath });
    }
    return { title, files, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A sentence a step. @throws AppError where something is missing, or nothing can be heard */
export function* madeSentences(book: Book): Generator<undefined, MadeSentence[]> {
  const made: MadeSentence[] = [];
  for (const sentence of book.sentences) {
    yield;
    const take = chosenTake(book, sentence);
    const { pauseSec, written, chapter } = sentence;
    if (take !== undefined)
      made.push({
        takeId: take.id,
        durationSec: take.durationSec,
        pauseSec,
        written,
        ...(chapter === undefined ? {} : { chapter }),
      });
  }
  const missing = book.sentences.length - made.length;
  if (missing > 0)
    throw new AppError(
      "invalid_request",
      `${missing} of ${book.sentences.length} sentences are not made yet. Make them first.`,
    );
  if (!made.some(({ durationSec }) => durationSec > 0))
    throw new AppError("nothing_to_say", "The script has nothing that can be spoken.");
  return made;
}

/** A child that is lost is replaced, and what it had done is done again. */
async function makeBook(
  job: PoolJob,
  aim: BookAim,
  parts: readonly PoolPart[],
  onParts: (count: number) => void,
): Promise<{ lufs?: number }> {
  const restart = createRestarts(
    () => new AppError("engine_failed", "Putting the narration together failed twice."),
  );
  let told = 0;
  for (;;) {
    try {
      return await runAim(job, aim, parts, (done) => {
        // What is done again was told before.
        if (done > told) onParts(done - told);
        told = Math.max(told, done);
      });
    } catch (error) {
      restart(error);
    }
  }
}

async function runAim(
  job: PoolJob,
  aim: BookAim,
  parts: readonly PoolPart[],
  onDone: (count: number) => void,
): Promise<{ lufs?: number }> {
  const child = job.pin();
  const { session } = child;
  try {
    await child.run("book.open", { session, aim });
    for (let at = 0; at < parts.length; at += partsAtOnce) {
      await child.run("book.add", { session, parts: parts.slice(at, at + partsAtOnce) });
      onDone(Math.min(parts.length, at + partsAtOnce));
    }
    return await child.run("book.finish", { session });
  } finally {
    child.release();
  }
}

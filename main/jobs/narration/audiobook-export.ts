// Exports a finished narration as files. A child process of the pool joins takes and pauses, optionally with normalized
// loudness, and writes chapters and tags; subtitles are separate files. See audiobook-plan.ts for the layout.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseImageHeader } from "../../audio/codec/image-header.ts";
import { writeEpub } from "../../audiobook/epub-file.ts";
import { epubAudioPath, epubCoverPath, listEpubTexts } from "../../audiobook/epub.ts";
import { toSrt, toVtt } from "../../transcript/subtitles.ts";
import { takeSampleRateHz } from "../../audiobook/take-file.ts";
import { AppError } from "../../contract/errors.ts";
import type { NarrationExport } from "../../contract/narration.ts";
import type { PinnedChild, Pool, PoolJob } from "../../engines/pool/pool.ts";
import type { AssemblyPass, AudiobookPart } from "../../audiobook/audiobook-assembler.ts";
import { mkdtemp, writeFile } from "../../storage/disk.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import {
  type GeneratedSentence,
  type PlannedFile,
  planAudiobook,
} from "../../audiobook/audiobook-plan.ts";
import { type LoadedNarration, chosenTake } from "./loaded-narration.ts";

export type AudiobookExport = {
  /** Title of the whole audiobook. */
  title: string;
  /** In playback order. `name` consists of titles: replace characters that file systems do not allow. */
  files: { name: string; extension: string; path: string }[];
  /** Deletes the files. */
  remove(): Promise<void>;
};

export type AudiobookOptions = NarrationExport & {
  title: string;
  author: string;
  cover?: Uint8Array;
  /** ISO-639-1 */
  language: string;
};

export type AudiobookExportDeps = {
  pool: Pool;
  tempDir: () => string;
  takePath(itemId: string, takeId: string): string;
  /** `progress`: 0 to 1. */ onProgress?(progress: number): void;
};

/** A few minutes of audio per task, which takes seconds, so that other jobs of the pool get their turn. */
const partsPerTask = 40;

/** Aborting stops the export and deletes its files. */
export async function exportAudiobook(
  { pool, tempDir, takePath, onProgress = () => {} }: AudiobookExportDeps,
  narration: LoadedNarration,
  options: AudiobookOptions,
  signal: AbortSignal,
): Promise<AudiobookExport> {
  const sentences = await runInSlices(listGeneratedSentences(narration));
  const { title, author, cover, normalise } = options;
  const isEpub = options.format === "epub";
  const { format, perChapter, subtitles } =
    options.format === "epub" ? audioOfEpub : { ...options, format: options.format };
  const plannedFiles = await runInSlices(
    planAudiobook(sentences, title, perChapter, 1 / takeSampleRateHz),
  );
  const folder = await mkdtemp(join(tempDir(), "book-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const job = pool.job(signal);
  const passes = normalise ? 2 : 1;
  let doneParts = 0;
  const onPartsDone = (count: number): void => {
    doneParts += count;
    onProgress(Math.min(1, doneParts / (passes * sentences.length)));
  };
  const toAudiobookParts = (file: PlannedFile): AudiobookPart[] =>
    file.parts.map(({ takeId, ...part }) => ({
      wavPath: takePath(narration.itemId, takeId),
      ...part,
    }));
  try {
    // One gain for the whole audiobook, so that the relative loudness of chapters stays the same.
    const measuredLufs = normalise
      ? (
          await assembleAudiobook(
            job,
            { kind: "measure" },
            plannedFiles.flatMap(toAudiobookParts),
            onPartsDone,
          )
        ).lufs
      : undefined;
    const files: AudiobookExport["files"] = [];
    for (const [index, file] of plannedFiles.entries()) {
      const path = join(folder, `${index}.${format}`);
      const name =
        file.track === undefined
          ? file.title
          : `${String(file.track).padStart(String(plannedFiles.length).length, "0")} ${file.title}`;
      const tags = {
        title: file.title,
        album: title,
        ...(author === "" ? {} : { author }),
        ...(file.track === undefined ? {} : { track: file.track }),
      };
      const aim: AssemblyPass = {
        kind: "write",
        file: {
          path,
          format,
          ...tags,
          chapters: file.chapters,
          ...(cover === undefined ? {} : { cover }),
        },
        ...(measuredLufs === undefined ? {} : { measuredLufs: measuredLufs }),
      };
      await assembleAudiobook(job, aim, toAudiobookParts(file), onPartsDone);
      files.push({ name, extension: format, path });
      if (subtitles === "none") continue;
      const subtitlePath = join(folder, `${index}.${subtitles}`);
      await writeFile(subtitlePath, subtitles === "srt" ? toSrt(file.cues) : toVtt(file.cues));
      files.push({ name, extension: subtitles, path: subtitlePath });
    }
    if (!isEpub) return { title, files, remove };
    const path = join(folder, "book.epub");
    await exportEpub(path, narration.itemId, plannedFiles, options, files, signal);
    return { title, files: [{ name: title, extension: "epub", path }], remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What a book is made from: players of EPUB must support this format. */
const audioOfEpub = { format: "mp3", perChapter: true, subtitles: "none" } as const;

async function exportEpub(
  path: string,
  itemId: string,
  plannedFiles: readonly PlannedFile[],
  { title, author, cover, language }: AudiobookOptions,
  audioFiles: AudiobookExport["files"],
  signal: AbortSignal,
): Promise<void> {
  const coverType = cover === undefined ? undefined : parseImageHeader(cover)?.type;
  const extension = coverType === "jpeg" ? "jpg" : "png";
  const texts = await runInSlices(
    listEpubTexts({
      identifier: `hearsay-narration-${itemId}`,
      title,
      author,
      language,
      modifiedAtMs: Date.now(),
      chapters: plannedFiles,
      cover: coverType && { extension, mediaType: `image/${coverType}` },
    }),
    signal,
  );
  const audio = new Map(audioFiles.map((file, index) => [epubAudioPath(index), file.path]));
  const picture =
    cover === undefined || coverType === undefined
      ? undefined
      : { path: epubCoverPath(extension), bytes: cover };
  await writeEpub(path, { texts, cover: picture, audio }, signal);
}

/** Yields after each sentence. @throws AppError if takes are missing, or if none of them has audio */
export function* listGeneratedSentences(
  narration: LoadedNarration,
): Generator<undefined, GeneratedSentence[]> {
  const generated: GeneratedSentence[] = [];
  let endOfLast = 0;
  for (const sentence of narration.sentences) {
    yield;
    const take = chosenTake(narration, sentence);
    const { pauseSec, gainDb, written, chapter } = sentence;
    if (take !== undefined)
      generated.push({
        takeId: take.id,
        durationSec: take.durationSec,
        pauseSec,
        ...(gainDb === undefined ? {} : { gainDb }),
        written,
        startsParagraph: narration.script.slice(endOfLast, sentence.start).includes("\n"),
        ...(chapter === undefined ? {} : { chapter }),
      });
    endOfLast = sentence.end;
  }
  const missing = narration.sentences.length - generated.length;
  if (missing > 0)
    throw new AppError("narration.incomplete", { missing, all: narration.sentences.length });
  if (!generated.some(({ durationSec }) => durationSec > 0)) throw new AppError("narration.silent");
  return generated;
}

/** Retries once in a new child process if the child is lost; the lost part is assembled again. */
async function assembleAudiobook(
  job: PoolJob,
  pass: AssemblyPass,
  parts: readonly AudiobookPart[],
  onPartsDone: (count: number) => void,
): Promise<{ lufs?: number }> {
  let reportedParts = 0;
  return await job.runPinned(
    (child) =>
      runAssembly(child, pass, parts, (done) => {
        // Parts that are assembled again were already reported.
        if (done > reportedParts) onPartsDone(done - reportedParts);
        reportedParts = Math.max(reportedParts, done);
      }),
    () => new AppError("narration.assemblyFailed"),
  );
}

async function runAssembly(
  child: PinnedChild,
  pass: AssemblyPass,
  parts: readonly AudiobookPart[],
  onDone: (count: number) => void,
): Promise<{ lufs?: number }> {
  const { session } = child;
  await child.run("assemble.open", { session, pass });
  for (let start = 0; start < parts.length; start += partsPerTask) {
    await child.run("assemble.add", { session, parts: parts.slice(start, start + partsPerTask) });
    onDone(Math.min(parts.length, start + partsPerTask));
  }
  return await child.run("assemble.finish", { session });
}

// The library as a ZIP archive: one folder per item, with its original audio, its text in common formats, and its
// metadata.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { relative } from "node:path";
import type { VocabularyEntry } from "../../contract/vocabulary.ts";
import type { StoredPerson } from "../../contract/people.ts";
import type { TranscriptExport } from "../../contract/transcript-export.ts";
import type { Documents } from "../../library/documents.ts";
import { listFiles } from "../../library/archive/list-files.ts";
import type { Items } from "../../library/items.ts";
import type { AsyncLibraryTasks } from "../../library/library-tasks.ts";
import type { Narrations } from "../../library/narrations.ts";
import type { ZipEntry } from "../../library/archive/zip.ts";
import { safeFileName } from "../http/attachment.ts";
import {
  createBytesEntry,
  createTranscriptFile,
  singleChunk,
  type TranscriptFileDeps,
} from "./transcript-file.ts";

export type ArchiveDeps = {
  items: Items;
  documents: Documents;
  narrations: Narrations;
  tasks: AsyncLibraryTasks;
  /** Only in archives of the whole library. */
  vocabulary?(): readonly VocabularyEntry[];
};

const archiveFormats = ["txt", "srt", "json"] as const;

/**
 * Items removed during the export are left out from then on; items in the trash are not included.
 * @param people with their voice prints, if they were asked for; only in archives of the whole library
 */
export async function* libraryEntries(
  { items, documents, narrations, tasks, vocabulary }: ArchiveDeps,
  itemIds?: readonly string[],
  people: readonly StoredPerson[] = [],
): AsyncGenerator<ZipEntry> {
  if (itemIds === undefined && vocabulary !== undefined) {
    const library = {
      version: 1,
      // Named before it served recognition, too.
      pronunciations: vocabulary(),
      ...(people.length === 0 ? {} : { people }),
    };
    const content = `${JSON.stringify(library, null, 2)}\n`;
    yield createBytesEntry("library.json", Date.now(), content);
  }
  for (const id of itemIds ?? items.list().map((item) => item.id)) {
    const item = items.find(id);
    if (item === undefined) continue;
    const folder = `${safeFileName(item.title)} ${id}`;
    const createEntry = (name: string, content: string | Uint8Array): ZipEntry =>
      createBytesEntry(`${folder}/${name}`, item.changedAtMs, content);
    yield createEntry("item.json", `${JSON.stringify(item, null, 2)}\n`);
    if (documents.has(id)) {
      // Complete, for a later import; the other formats are for other programs.
      yield createEntry("document.json", await tasks.readDocument(id));
      for (const format of archiveFormats)
        yield createEntry(
          `transcript.${format}`,
          await tasks.exportTranscript(id, item.title, format),
        );
    }
    if (narrations.has(id)) {
      yield createEntry("script.md", await tasks.readScript(id));
      yield createEntry("narration.json", await tasks.exportNarration(id));
    }
    yield* fileEntries(items.folder(id), `${folder}/files`);
  }
}

/** Only transcripts in one format, one file each, and recordings that do not fit into their file. */
export async function* transcriptEntries(
  deps: ArchiveDeps & TranscriptFileDeps,
  itemIds: readonly string[] | undefined,
  format: TranscriptExport,
): AsyncGenerator<ZipEntry> {
  const { items, documents } = deps;
  const usedNames = new Set<string>();
  for (const id of itemIds ?? items.list().map((item) => item.id)) {
    const item = items.find(id);
    if (item === undefined || !documents.has(id)) continue;
    const name = safeFileName(item.title);
    // Titles may be equal, and some file systems ignore case.
    const uniqueName = usedNames.has(name.toLowerCase()) ? `${name} ${id}` : name;
    usedNames.add(name.toLowerCase());
    const { entry, sound } = await createTranscriptFile(
      deps,
      { itemId: id, name: uniqueName },
      format,
    );
    yield entry;
    if (sound !== undefined) yield sound;
  }
}

async function* fileEntries(folder: string, archiveFolder: string): AsyncGenerator<ZipEntry> {
  for await (const path of listFiles(folder)) {
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) continue;
    // A recording in progress is cut at its current length.
    const bytes = () =>
      stats.size === 0
        ? singleChunk(new Uint8Array())
        : createReadStream(path, { end: stats.size - 1 });
    yield {
      name: `${archiveFolder}/${relative(folder, path).replaceAll("\\", "/")}`,
      modifiedAtMs: stats.mtimeMs,
      sizeBytes: stats.size,
      isCompressed: false,
      bytes,
    };
  }
}

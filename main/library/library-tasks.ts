// Tasks that read or write a lot in one step and would block the main thread: run by the child process of process/.
// Each task is complete or has no effect.

import type { z } from "zod";
import type { SearchHit } from "../contract/library-item.ts";
import type { TranscriptExport, TranscriptExportOptions } from "../contract/transcript-export.ts";
import type { windowApi } from "../contract/window-api.ts";
import type { SentenceTask } from "./narration-work.ts";
import type { StoredNarration } from "./narrations.ts";

export type LibraryTasks = {
  search(input: string): SearchHit[];
  replace(
    request: z.output<typeof windowApi.replace.request>,
  ): z.output<typeof windowApi.replace.response>;
  /** See `readFirstWords` of item-overview.ts. */
  readFirstWords(itemIds: readonly string[]): Record<string, string>;
  /** See `listSpeakers` of item-overview.ts. */
  listSpeakers(): { name: string; itemIds: string[] }[];
  /** As JSON. @throws AppError `not_found` */
  readDocument(itemId: string): Uint8Array<ArrayBuffer>;
  /**
   * @param json request body @returns the new revision @throws AppError if it is not a valid change, or as
   * `Documents.apply`
   */
  changeDocument(itemId: string, json: Uint8Array): number;
  /** The complete file, see transcript/export-transcript.ts. @throws AppError `not_found` */
  exportTranscript(
    itemId: string,
    title: string,
    format: TranscriptExport,
    options?: TranscriptExportOptions,
    soundUrl?: string,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** A narration's script in UTF-8. @throws AppError `not_found` */
  readScript(itemId: string): Uint8Array<ArrayBuffer>;
  /** All stored data of a narration, as JSON for an archive. @throws AppError `not_found` */
  exportNarration(itemId: string): Uint8Array<ArrayBuffer>;
  /** Imports an unpacked and validated item in one transaction. @param toDir target folder of its files */
  importItem(fromDir: string, toDir: string): Promise<void>;
  /** See `Narrations.change`. */
  changeNarration(itemId: string, fields: StoredNarration): number;
  /** See `NarrationWork.add`. */
  addWork(itemId: string, task: SentenceTask, sentenceIds: readonly string[]): void;
  /** See `NarrationWork.drop`. */
  dropWork(itemId: string): void;
  /** Runs a WAL checkpoint, so that other writers do not have to. */
  checkpoint(): void;
  /** Permanently deletes all rows of an item. */
  dropItem(itemId: string): void;
};

export type LibraryTask = keyof LibraryTasks;

/** The same tasks, run in another process. */
export type AsyncLibraryTasks = {
  [Task in LibraryTask]: (
    ...args: Parameters<LibraryTasks[Task]>
  ) => Promise<Awaited<ReturnType<LibraryTasks[Task]>>>;
};

// What would hold up its thread, since it reads much, or writes much in one step: done beside the main thread, by
// library-process/. Each is done as a whole or not at all.

import type { z } from "zod";
import type { SearchHit, transcriptExports } from "../contract/studio.ts";
import type { studioApi } from "../contract/studio-api.ts";
import type { SentenceTask } from "./narration-work.ts";
import type { StoredNarration } from "./narrations.ts";

export type LibraryTasks = {
  search(input: string): SearchHit[];
  replace(
    request: z.output<typeof studioApi.replace.request>,
  ): z.output<typeof studioApi.replace.response>;
  /** As JSON. @throws AppError `not_found` */
  readDocument(itemId: string): Uint8Array<ArrayBuffer>;
  /** @param json the request's body @returns the new revision @throws AppError where it is no change, and as `Documents.apply` */
  changeDocument(itemId: string, json: Uint8Array): number;
  /** A whole file. @throws AppError `not_found` */
  exportTranscript(
    itemId: string,
    title: string,
    format: (typeof transcriptExports)[number],
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** A narration's script in UTF-8. @throws AppError `not_found` */
  readScript(itemId: string): Uint8Array<ArrayBuffer>;
  /** All that is kept of a narration, as JSON for an archive. @throws AppError `not_found` */
  exportNarration(itemId: string): Uint8Array<ArrayBuffer>;
  /** Takes in an item as it was unpacked and checked, or leaves everything as it was. @param toDir where its files go */
  bringBack(fromDir: string, toDir: string): Promise<void>;
  /** As `Narrations.change`. */
  changeNarration(itemId: string, fields: StoredNarration): number;
  /** As `NarrationWork.add`. */
  addWork(itemId: string, task: SentenceTask, sentenceIds: readonly string[]): void;
  /** As `NarrationWork.drop`. */
  dropWork(itemId: string): void;
  /** Moves what was written lately from the log into the file, so that no other writer has to. */
  checkpoint(): void;
  /** Ends for good what the library has of an item. */
  dropItem(itemId: string): void;
};

export type LibraryTask = keyof LibraryTasks;

/** The same, done elsewhere. */
export type AsyncLibraryTasks = {
  [Task in LibraryTask]: (
    ...args: Parameters<LibraryTasks[Task]>
  ) => Promise<Awaited<ReturnType<LibraryTasks[Task]>>>;
};

// The files of a narration: its takes, its waveform, and audiobooks with their title, author and cover.

import { readFile } from "node:fs/promises";
import type { AudiobookDetails } from "../../audiobook/audiobook-details.ts";
import { joinPeaks } from "../../audiobook/take-peaks.ts";
import type { AppEvent } from "../../contract/app-event.ts";
import type { NarrationExport } from "../../contract/narration.ts";
import type { Pool } from "../../engines/pool/pool.ts";
import type { Items } from "../../library/items.ts";
import { detectTextLanguage } from "../../text/text-language.ts";
import { runInSlices } from "../../processes/time-slices.ts";
import {
  type AudiobookExport,
  exportAudiobook,
  listGeneratedSentences,
} from "./audiobook-export.ts";
import { requireComplete, takeNotFoundError } from "./loaded-narration.ts";
import type { NarrationReader } from "./narration-reader.ts";
import type { SentenceAudio } from "./sentence-audio.ts";

export type NarrationFiles = {
  /** The file of a take. @throws AppError `not_found` */
  takePath(itemId: string, takeId: string): string;
  /** Title and author of its files, and the path of their cover. */
  readDetails(itemId: string): ReturnType<AudiobookDetails["read"]>;
  saveDetails: AudiobookDetails["save"];
  /** In the format of a file's peaks. @throws AppError if a sentence is not generated yet */
  peaks(itemId: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Uses the stored title, author and cover. Publishes its progress as events. @throws AppError if a sentence is not
   * generated yet
   */
  exportAudiobook(
    itemId: string,
    options: NarrationExport,
    signal: AbortSignal,
  ): Promise<AudiobookExport>;
};

export type NarrationFilesDeps = {
  items: Items;
  reader: NarrationReader;
  details: AudiobookDetails;
  takePath: SentenceAudio["takePath"];
  pool: Pool;
  /** An existing folder for temporary audio files. */
  tempDir: () => string;
  events: { publish(event: AppEvent): void };
};

export function createNarrationFiles(deps: NarrationFilesDeps): NarrationFiles {
  const { items, reader, details, takePath, pool, tempDir, events } = deps;
  return {
    takePath(itemId, takeId) {
      for (const takes of reader.get(itemId).takes.values())
        if (takes.some(({ id }) => id === takeId)) return takePath(itemId, takeId);
      throw takeNotFoundError();
    },
    async readDetails(itemId) {
      items.read(itemId);
      return details.read(itemId);
    },
    async saveDetails(itemId, fields) {
      items.read(itemId);
      await details.save(itemId, fields);
    },
    async peaks(itemId) {
      const narration = requireComplete(reader.get(itemId));
      const sentences = await runInSlices(listGeneratedSentences(narration));
      return joinPeaks(
        sentences.map(({ takeId, durationSec, pauseSec }) => ({
          wavPath: takePath(itemId, takeId),
          durationSec,
          pauseSec,
        })),
      );
    },
    async exportAudiobook(itemId, options, signal) {
      const narration = requireComplete(reader.get(itemId));
      const onProgress = (progress: number): void =>
        events.publish({ type: "narration-file", itemId, progress });
      const { title, author, coverPath } = await details.read(itemId);
      const cover = coverPath === undefined ? {} : { cover: await readFile(coverPath) };
      return exportAudiobook(
        { pool, tempDir, takePath, onProgress },
        narration,
        {
          ...options,
          title: title === "" ? items.read(itemId).title : title,
          author,
          language: detectTextLanguage(narration.script),
          ...cover,
        },
        signal,
      );
    },
  };
}

// The files of a narration: its takes, its waveform, and audiobooks with their title, author and cover.

import { readFile } from "node:fs/promises";
import type { AudiobookDetails } from "../../audiobook/audiobook-details.ts";
import type { GeneratedSentence } from "../../audiobook/audiobook-plan.ts";
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
  /** Its sentences with their takes. @throws AppError if one is not generated yet */
  generatedSentences(itemId: string): Promise<GeneratedSentence[]>;
  /**
   * Uses the stored title, author and cover. @param onProgress 0 to 1; default: publishes it as events
   * @throws AppError if a sentence is not generated yet
   */
  exportAudiobook(
    itemId: string,
    options: NarrationExport,
    signal: AbortSignal,
    onProgress?: (progress: number) => void,
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

  const generatedSentences = async (itemId: string): Promise<GeneratedSentence[]> =>
    runInSlices(listGeneratedSentences(requireComplete(reader.get(itemId))));

  return {
    generatedSentences,
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
      const sentences = await generatedSentences(itemId);
      return joinPeaks(
        sentences.map(({ takeId, durationSec, pauseSec }) => ({
          wavPath: takePath(itemId, takeId),
          durationSec,
          pauseSec,
        })),
      );
    },
    async exportAudiobook(
      itemId,
      options,
      signal,
      onProgress = (progress) => events.publish({ type: "narration-file", itemId, progress }),
    ) {
      const narration = requireComplete(reader.get(itemId));
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

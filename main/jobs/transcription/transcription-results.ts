// Saves the results of a transcription as they arrive. Each write is retried while the disk rejects it, also after the
// transcription was cancelled, so that finished segments are kept.

import { addSpeechSec, dominantLanguage } from "../../contract/transcript.ts";
import type { FailedRange } from "../../contract/speech.ts";
import type { TranscriptDocument } from "../../contract/transcript-document.ts";
import type { Documents } from "../../library/documents.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { AppEvents } from "../events.ts";
import type { TranscriptionUpdate } from "./transcribe-range.ts";

export type TranscriptionResults = {
  add(update: TranscriptionUpdate): Promise<void>;
  /** A range that failed earlier was tried again. If it failed again, that is another entry. */
  removeFailed(range: FailedRange): Promise<void>;
  /** @param durationSec of the whole recording */
  finish(durationSec: number): Promise<{ language: string; isPartial: boolean }>;
};

export type TranscriptionResultsDeps = {
  documents: Documents;
  events: AppEvents;
  writes: RetriedWrites;
};

/** @param document the transcript so far */
export function createTranscriptionResults(
  { documents, events, writes }: TranscriptionResultsDeps,
  itemId: string,
  document: TranscriptDocument,
): TranscriptionResults {
  let { language } = document;
  let failed: readonly FailedRange[] = document.failed;
  const secByLanguage = new Map<string, number>();
  addSpeechSec(secByLanguage, document.segments);

  function setFailed(failedRanges: readonly FailedRange[]): Promise<void> {
    failed = failedRanges;
    return writes.run(() => documents.setHeader(itemId, { failed: [...failed] }));
  }

  return {
    async add(update) {
      addSpeechSec(secByLanguage, update.segments);
      if (update.segments.length > 0) {
        const segments = await writes.run(() => documents.appendSegments(itemId, update.segments));
        events.publish({ type: "segments", itemId, segments });
      }
      if (update.failed.length > 0) await setFailed([...failed, ...update.failed]);
      language = dominantLanguage(secByLanguage) ?? update.language ?? language;
    },
    removeFailed: (range) => setFailed(failed.filter((other) => other !== range)),
    async finish(durationSec) {
      // Engines name a language even if there is no speech.
      if (secByLanguage.size === 0) language = "";
      await writes.run(() => documents.setHeader(itemId, { language, durationSec }));
      return { language, isPartial: failed.length > 0 };
    },
  };
}

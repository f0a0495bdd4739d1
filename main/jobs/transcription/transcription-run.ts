// One run over the ranges of an item that are not transcribed yet. Each result is saved before the next is read: while
// the disk rejects writes, only one is in memory. An interrupted run continues after the last saved segment.

import { AppError } from "../../contract/errors.ts";
import { parseLanguage } from "../../contract/languages.ts";
import type { FindSpeakers, KnownVoice, SpeakerCount, Speakers } from "../../contract/speakers.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Documents } from "../../library/documents.ts";
import type { ItemPatch } from "../../library/item-table.ts";
import type { Items } from "../../library/items.ts";
import type { Log } from "../../log.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { AppEvents } from "../events.ts";
import { labelSegments } from "./document-speakers.ts";
import type { Media } from "./media.ts";
import { listPendingRanges } from "./pending-ranges.ts";
import { type TranscribeRangeDeps, transcribeRange } from "./transcribe-range.ts";
import type { Paces } from "./paces.ts";
import { createProgressReporter } from "./transcription-progress.ts";
import { createTranscriptionResults } from "./transcription-results.ts";
import { labelTrack } from "./tracks.ts";

export type TranscriptionRunDeps = TranscribeRangeDeps & {
  items: Items;
  documents: Documents;
  events: AppEvents;
  media: Pick<Media, "source">;
  findSpeakers: FindSpeakers;
  /** Of people who are remembered. */
  voices(): readonly KnownVoice[];
  paces: Paces;
  writes: RetriedWrites;
  log: Log;
};

/** Reasons to abort a run. */
export const cancelReason = new Error("cancelled");
/** The item waits in the queue again. */
export const pauseReason = new Error("the queue is paused");
export const closeReason = new Error("the app closes");
const itemRemovedReason = new Error("the item was removed");

/** @returns the new state of the item; undefined if none is to be stored */
export async function runTranscription(
  deps: TranscriptionRunDeps,
  itemId: string,
  stop: AbortController,
): Promise<ItemPatch | undefined> {
  const { items, writes } = deps;
  // Lets the caller get its response before events are published.
  await Promise.resolve();
  try {
    // Waits while the disk is full, then continues after the last saved segment.
    return await writes.run(
      () => items.find(itemId) && transcribeItem(deps, itemId, stop),
      stop.signal,
    );
  } catch (error) {
    return writes.run(() => toFailureOutcome(deps, itemId, error, stop.signal));
  }
}

async function transcribeItem(
  deps: TranscriptionRunDeps,
  itemId: string,
  stop: AbortController,
): Promise<ItemPatch> {
  const { items, documents, media, paces, writes } = deps;
  const document = documents.read(itemId);
  const { fromSec, toSec, tracks, ...options } = document.options;
  const item = await writes.run(
    () => items.change(itemId, { state: "running", error: undefined, leftSec: undefined }),
    stop.signal,
  );
  const mediaPath = await media.source(itemId);
  const ranges = listPendingRanges(document, item.durationSec || undefined);
  const progress = createProgressReporter(items, itemId, ranges, {
    fromSec,
    toSec,
    expectedPace: paces.expected(options),
  });
  const speakers = startFindingSpeakers(deps, mediaPath, options.speakers, stop.signal);
  const results = createTranscriptionResults(deps, itemId, document);
  const onSentTo = (channel: string): void =>
    writes.runInBackground(() => items.recordSentTo(itemId, channel));

  try {
    for (const pending of ranges) {
      const { failed, track, fromSec: rangeFromSec, toSec: rangeToSec } = pending;
      // The language of the whole recording is more reliable than one detected in a short range.
      const language =
        options.language ?? (failed === undefined ? undefined : parseLanguage(document.language));
      for await (const update of transcribeRange(
        deps,
        {
          mediaPath,
          options: { ...options, language },
          fromSec: rangeFromSec,
          toSec: rangeToSec,
          channel: track,
          onSentTo,
        },
        stop.signal,
      )) {
        if (items.find(itemId) === undefined) {
          stop.abort(itemRemovedReason);
          throw itemRemovedReason;
        }
        await results.add({
          ...update,
          segments: labelTrack(update.segments, tracks, track),
          failed: labelTrack(update.failed, tracks, track),
        });
        progress.report(pending, update.processedSec);
      }
      if (failed !== undefined) await results.removeFailed(failed);
    }
    paces.note(options, progress.done());
  } finally {
    progress.close();
  }
  const found = await speakers;
  if (found !== undefined) await writes.run(() => saveSpeakers(deps, itemId, found));
  const outcome = await results.finish(items.read(itemId).durationSec);
  return { state: "done", progress: 1, leftSec: undefined, ...outcome };
}

/** Beside the transcription; an error is reported when the turns are needed. */
function startFindingSpeakers(
  { findSpeakers }: Pick<TranscriptionRunDeps, "findSpeakers">,
  mediaPath: string,
  count: SpeakerCount | undefined,
  signal: AbortSignal,
): Promise<Speakers | undefined> {
  const finding =
    count === undefined ? Promise.resolve(undefined) : findSpeakers({ mediaPath }, count, signal);
  finding.catch(() => {});
  return finding;
}

function saveSpeakers(
  { documents, voices }: Pick<TranscriptionRunDeps, "documents" | "voices">,
  itemId: string,
  speakers: Speakers,
): void {
  const document = documents.read(itemId);
  const { put, recognized } = labelSegments(document, speakers, voices());
  if (put.length === 0) return;
  documents.setHeader(itemId, { recognized: { ...document.recognized, ...recognized } });
  documents.apply(itemId, { revision: document.revision, put, remove: [] });
}

function toFailureOutcome(
  { items, documents, log }: TranscriptionRunDeps,
  itemId: string,
  error: unknown,
  { reason }: AbortSignal,
): ItemPatch | undefined {
  if (reason === closeReason || items.find(itemId) === undefined) return undefined;
  const isPartial = documents.readHeader(itemId).segmentCount > 0;
  if (reason === pauseReason) return { state: "waiting", leftSec: undefined };
  if (reason === cancelReason) return { state: "cancelled", leftSec: undefined, isPartial };
  log.warn({ itemId, err: error }, "a transcription failed");
  // What happened and what the user can do.
  const message =
    error instanceof AppError ? error.sent : createMessage("transcription.unexpected");
  return { state: "failed", leftSec: undefined, isPartial, error: message };
}

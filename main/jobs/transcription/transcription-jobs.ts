// Transcription of files and recordings: start, retry, cancel and access. transcription-queue.ts runs the jobs, the
// library stores the results.

import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Item } from "../../contract/library-item.ts";
import type { DocumentSegment, TranscribeOptions } from "../../contract/transcript-document.ts";
import type { SpeakerCount } from "../../contract/speakers.ts";
import { relabelSegments } from "./document-speakers.ts";
import { retranscribeRange } from "./retranscribe.ts";
import type { ItemPatch } from "../../library/item-table.ts";
import type { Items } from "../../library/items.ts";
import { checkTranscribeOptions } from "./transcribe-range.ts";
import { createMedia, type Media } from "./media.ts";
import { storeUpload, type Upload } from "./store-upload.ts";
import { prepareTranscribedItem } from "./transcribed-item.ts";
import { createPaces } from "./paces.ts";
import {
  createTranscriptionQueue,
  type TranscriptionQueue,
  type TranscriptionQueueDeps,
} from "./transcription-queue.ts";
import { createRecordings, type Recordings, type RecordingsDeps } from "./recordings.ts";

export type TranscriptionJobsDeps = Omit<
  TranscriptionQueueDeps & RecordingsDeps,
  "media" | "onEnd" | "paces"
>;

export type TranscriptionJobs = {
  /** @throws AppError if no channel can transcribe with these options */
  check(options: TranscribeOptions): void;
  /** Stores a file and queues it. @throws AppError if it is not a media file; nothing is stored then */
  add(upload: Upload, signal: AbortSignal): Promise<Item>;
  /**
   * Transcribes an item's audio. Continues an unfinished transcription with the same options; otherwise creates a new
   * item if a transcript exists.
   * @returns the item that is transcribed
   */
  start(itemId: string, options: TranscribeOptions): Promise<Item>;
  /** Transcribes the failed ranges again and adds them to the transcript. @throws AppError if there are none */
  retranscribeFailed(itemId: string): Item;
  /** Stops the transcription or recording of an item, if any; what exists of it is kept. */
  stopWork(itemId: string): Promise<void>;
  /** Transcribes a range again without changing the transcript. Publishes its progress as events. */
  retranscribe(
    itemId: string,
    options: TranscribeOptions & { fromSec: number; toSec: number },
    signal: AbortSignal,
  ): Promise<{ segments: DocumentSegment[]; tookMs: number; channel: string }>;
  /** See `findSpeakers` of contract/window-api.ts. */
  findSpeakers(
    itemId: string,
    count: SpeakerCount,
    signal: AbortSignal,
  ): Promise<{ segments: DocumentSegment[][]; recognized: Record<string, number> }>;
  readonly queue: Pick<TranscriptionQueue, "state" | "change">;
  readonly recordings: Pick<Recordings, "begin" | "append" | "end">;
  readonly media: Pick<Media, "source" | "playable" | "peaks">;
  /** Resumes work that was interrupted by a shutdown. */
  resume(): Promise<void>;
  close(): Promise<void>;
};

export function createTranscriptionJobs(deps: TranscriptionJobsDeps): TranscriptionJobs {
  const { items, documents, events, router, writes, log } = deps;
  const media = createMedia(deps);
  const queue = createTranscriptionQueue({ ...deps, media, paces: createPaces() });
  const recordings = createRecordings({ ...deps, onEnd: enqueue });
  let isClosed = false;

  /** Never throws. */
  function enqueue(itemId: string): void {
    // Transcription works without copy and peaks; opening the item creates them.
    writes
      .run(async () => items.find(itemId)?.hasMedia === false && media.prepare(itemId))
      .catch((error: unknown) =>
        log.info({ itemId, err: error }, "playback files could not be created"),
      );
    queue.add(itemId);
  }

  const check = (options: TranscribeOptions): void => checkTranscribeOptions(router, options);

  /** Queues an item, or leaves it in the queue. */
  function restart(itemId: string, patch: ItemPatch = {}): Item {
    if (!queue.has(itemId))
      items.change(itemId, { state: "waiting", error: undefined, leftSec: undefined, ...patch });
    enqueue(itemId);
    return items.read(itemId);
  }

  function resumeItem(itemId: string): void {
    // In the background, so that a full disk does not prevent the start of the app.
    if (documents.has(itemId)) {
      writes.runInBackground(
        () =>
          queue.isRunning(itemId) || items.change(itemId, { state: "waiting", leftSec: undefined }),
      );
      enqueue(itemId);
    } else {
      // An earlier version could leave an item without a document if it stopped between the two writes.
      const error = createMessage("transcription.notStarted");
      writes.runInBackground(() => items.change(itemId, { state: "failed", error }));
    }
  }

  return {
    check,
    async add(upload, signal) {
      check(upload.options);
      const item = await storeUpload({ ...deps, media }, upload, signal);
      enqueue(item.id);
      return item;
    },
    async start(itemId, options) {
      check(options);
      const item = await prepareTranscribedItem({ ...deps, media }, itemId, options);
      if (item.id === itemId) return restart(itemId);
      enqueue(item.id);
      return item;
    },
    retranscribeFailed(itemId) {
      const { state } = items.read(itemId);
      const { failed, options } = documents.readHeader(itemId);
      check(options);
      if (state === "recording") throw new AppError("transcription.recording", {}, { param: "id" });
      if (failed.length === 0)
        throw new AppError("transcription.nothingFailed", {}, { param: "id" });
      return restart(itemId, { progress: 0 });
    },
    async stopWork(itemId) {
      // In this order: a recording that is just ending is queued for transcription.
      await recordings.cancel(itemId);
      await queue.cancel(itemId);
    },
    async retranscribe(itemId, options, signal) {
      check(options);
      const document = documents.has(itemId) ? documents.read(itemId) : undefined;
      const item = {
        mediaPath: await media.source(itemId),
        existing: {
          segments: document?.segments ?? [],
          tracks: document?.options.tracks,
          durationSec: items.read(itemId).durationSec,
        },
        onSentTo: (channel: string) =>
          writes.runInBackground(() => items.recordSentTo(itemId, channel)),
        onProgress: (progress: number) => events.publish({ type: "hear-again", itemId, progress }),
      };
      return retranscribeRange(deps, item, options, signal);
    },
    findSpeakers: (itemId, count, signal) =>
      findItemSpeakers({ ...deps, media }, itemId, count, signal),
    queue,
    recordings,
    media,
    async resume() {
      const recoveredIds = await recordings.recover();
      if (!isClosed)
        for (const id of listUnfinished(items, recoveredIds, deps.queueStore.read().itemIds))
          resumeItem(id);
    },
    async close() {
      isClosed = true;
      await Promise.all([queue.close(), recordings.close(), media.close()]);
    },
  };
}

async function findItemSpeakers(
  {
    items,
    documents,
    media,
    findSpeakers,
    voices,
  }: Pick<TranscriptionJobsDeps, "items" | "documents" | "findSpeakers" | "voices"> & {
    media: Pick<Media, "source">;
  },
  itemId: string,
  count: SpeakerCount,
  signal: AbortSignal,
): ReturnType<TranscriptionJobs["findSpeakers"]> {
  if (items.read(itemId).state === "recording")
    throw new AppError("transcription.recording", {}, { param: "id" });
  // Before: the window compares with what it had when it asked.
  const document = documents.read(itemId);
  const speakers = await findSpeakers({ mediaPath: await media.source(itemId) }, count, signal);
  const { parts, recognized } = relabelSegments(document, speakers, voices());
  const header = documents.readHeader(itemId);
  documents.setHeader(itemId, { recognized: { ...header.recognized, ...recognized } });
  return { segments: parts, recognized };
}

/**
 * Ids of the items to transcribe after a start: those at work, then as the user ordered them, then the oldest first.
 */
function listUnfinished(
  items: Items,
  recoveredIds: readonly string[],
  orderedIds: readonly string[],
): string[] {
  const rankOf = ({ id, state }: Item): number =>
    state === "running" ? -1 : orderedIds.indexOf(id) + 1 || Infinity;
  const ranked = [
    ...items.list({ kind: "transcript", state: "waiting" }),
    ...items.list({ kind: "transcript", state: "running" }),
    ...recoveredIds.map(items.read),
  ].map((item) => ({ ...item, rank: rankOf(item) }));
  const sorted = ranked.toSorted(
    (one, other) =>
      (one.rank === other.rank ? 0 : one.rank - other.rank) || one.createdAtMs - other.createdAtMs,
  );
  return [...new Set(sorted.map(({ id }) => id))];
}

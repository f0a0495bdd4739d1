// Transcription of files and recordings: start, retry, cancel and access. transcription-queue.ts runs the jobs, the
// library stores the results.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Item } from "../../contract/library-item.ts";
import type { DocumentSegment, TranscribeOptions } from "../../contract/transcript-document.ts";
import { openForWriting } from "../../storage/disk.ts";
import { retranscribeRange } from "./retranscribe.ts";
import { createLibraryJob } from "./transcribe-range.ts";
import { createMedia, type Media } from "./media.ts";
import { createTranscriptionQueue, type TranscriptionQueueDeps } from "./transcription-queue.ts";
import { createRecordings, type Recordings, type RecordingsDeps } from "./recordings.ts";

export type TranscriptionJobsDeps = Omit<
  TranscriptionQueueDeps & RecordingsDeps,
  "media" | "onEnd"
>;

export type Upload = {
  /** Name of the user's file. */
  name: string;
  options: TranscribeOptions;
  /** The next bytes; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
};

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
  readonly recordings: Pick<Recordings, "begin" | "append" | "end">;
  readonly media: Pick<Media, "source" | "playable" | "peaks">;
  /** Resumes work that was interrupted by a shutdown. */
  resume(): Promise<void>;
  close(): Promise<void>;
};

export function createTranscriptionJobs(deps: TranscriptionJobsDeps): TranscriptionJobs {
  const { items, documents, events, router, tempDir, writes, log } = deps;
  const media = createMedia(deps);
  const queue = createTranscriptionQueue({ ...deps, media });
  const recordings = createRecordings({ ...deps, onEnd: enqueue });
  let isClosed = false;

  /** Never throws. */
  function enqueue(itemId: string): void {
    // Transcription works without copy and peaks; opening the item creates them.
    writes
      .run(() => prepareIfMissing(itemId))
      .catch((error: unknown) =>
        log.info({ itemId, err: error }, "the sound of an item was not prepared"),
      );
    queue.add(itemId);
  }

  async function prepareIfMissing(itemId: string): Promise<void> {
    if (items.find(itemId)?.hasMedia === false) await media.prepare(itemId);
  }

  function check(options: TranscribeOptions): void {
    router.check(options.model, "speech-to-text");
    createLibraryJob(options, "");
    const { fromSec = 0, toSec = Infinity } = options;
    if (toSec <= fromSec) throw new AppError("transcription.emptyRange", {}, { param: "toSec" });
  }

  const saveEmptyDocument = (
    itemId: string,
    options: TranscribeOptions,
    durationSec: number,
  ): void =>
    void documents.save(itemId, {
      durationSec,
      language: options.language ?? "",
      options,
      failed: [],
    });

  /** Writes the upload to a temporary file. It is on disk when this resolves. */
  async function receive({ next }: Upload): Promise<string> {
    const path = join(tempDir(), `media-${randomUUID()}`);
    const file = await openForWriting(path, "wx");
    try {
      try {
        for (let bytes = await next(); bytes !== undefined; bytes = await next())
          await file.appendFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return path;
  }

  return {
    check,
    async add(upload, signal) {
      const { name, options } = upload;
      check(options);
      const path = await receive(upload);
      try {
        const { durationSec = 0 } = await media.probe(path, signal);
        const item = await items.createWithFiles(
          { kind: "transcript", title: titleOf(name), source: "file", durationSec },
          (folder) => media.moveToItem(folder, path, extensionOf(name)),
          (id) => saveEmptyDocument(id, options, durationSec),
        );
        enqueue(item.id);
        return item;
      } finally {
        await rm(path, { force: true });
      }
    },
    async start(itemId, options) {
      check(options);
      const item = items.read(itemId);
      if (item.kind !== "transcript")
        throw new AppError("transcription.ofNarration", {}, { param: "id" });
      if (item.state === "recording")
        throw new AppError("transcription.recording", {}, { param: "id" });
      await media.source(itemId);
      const header = documents.has(itemId) ? documents.readHeader(itemId) : undefined;
      const isSame =
        header !== undefined && isDeepStrictEqual(header.options, dropUndefined(options));
      if (
        header === undefined ||
        (header.segmentCount === 0 && item.state !== "done" && item.state !== "running")
      ) {
        if (!isSame) saveEmptyDocument(itemId, options, item.durationSec);
      } else if (!isSame || item.state === "done") {
        const other = await items.createWithFiles(
          {
            kind: "transcript",
            title: item.title,
            source: item.source,
            durationSec: item.durationSec,
            hasMedia: item.hasMedia,
            tags: item.tags,
          },
          (folder) => media.linkToItem(itemId, folder),
          (id) => saveEmptyDocument(id, options, item.durationSec),
        );
        enqueue(other.id);
        return other;
      }
      if (!queue.has(itemId))
        items.change(itemId, { state: "waiting", error: undefined, leftSec: undefined });
      enqueue(itemId);
      return items.read(itemId);
    },
    retranscribeFailed(itemId) {
      const { state } = items.read(itemId);
      const { failed, options } = documents.readHeader(itemId);
      check(options);
      if (state === "recording") throw new AppError("transcription.recording", {}, { param: "id" });
      if (failed.length === 0)
        throw new AppError("transcription.nothingFailed", {}, { param: "id" });
      if (!queue.has(itemId))
        items.change(itemId, {
          state: "waiting",
          progress: 0,
          error: undefined,
          leftSec: undefined,
        });
      enqueue(itemId);
      return items.read(itemId);
    },
    async stopWork(itemId) {
      // In this order: a recording that is just ending is queued for transcription.
      await recordings.cancel(itemId);
      await queue.cancel(itemId);
    },
    async retranscribe(itemId, options, signal) {
      check(options);
      const mediaPath = await media.source(itemId);
      const existing = {
        segments: documents.has(itemId) ? documents.read(itemId).segments : [],
        durationSec: items.read(itemId).durationSec,
      };
      const onProgress = (progress: number): void =>
        events.publish({ type: "hear-again", itemId, progress });
      return retranscribeRange(
        deps,
        {
          mediaPath,
          existing,
          onChannelSelected: (channel) =>
            writes.runInBackground(() => items.recordSentTo(itemId, channel)),
          onProgress,
        },
        options,
        signal,
      );
    },
    recordings,
    media,
    async resume() {
      const ids = await recordings.recover();
      if (isClosed) return;
      const unfinished = (["waiting", "running"] as const).flatMap((state) =>
        items.list({ kind: "transcript", state }),
      );
      const queued = new Map(
        [...unfinished, ...ids.map(items.read)].map((item) => [item.id, item]),
      );
      for (const { id } of [...queued.values()].toSorted(
        (one, other) => one.createdAtMs - other.createdAtMs,
      )) {
        // An earlier version could leave an item without a document if it stopped between the two writes. The write
        // runs in the background, so that a full disk does not prevent the start of the app.
        if (!documents.has(id))
          writes.runInBackground(() =>
            items.change(id, {
              state: "failed",
              error: createMessage("transcription.notStarted"),
            }),
          );
        else {
          writes.runInBackground(
            () => queue.isRunning(id) || items.change(id, { state: "waiting", leftSec: undefined }),
          );
          enqueue(id);
        }
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([queue.close(), recordings.close(), media.close()]);
    },
  };
}

/** The form in which options are stored. */
const dropUndefined = (options: TranscribeOptions): unknown => JSON.parse(JSON.stringify(options));

/** File name without its last extension. */
function titleOf(name: string): string {
  const baseName = name.split(/[\\/]/).at(-1) ?? "";
  const extension = extname(baseName);
  return (baseName.slice(0, baseName.length - extension.length).trim() || "Untitled").slice(0, 300);
}

/** Only characters that every file system supports. */
const extensionOf = (name: string): string =>
  /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? ".media";

// Recordings made in the window: audio is written to disk as it arrives, transcribed live, and recovered after a crash.

import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Item } from "../../contract/library-item.ts";
import type { DocumentOptions } from "../../contract/transcript-document.ts";
import type { Documents } from "../../library/documents.ts";
import type { TranscribedSegment } from "../../library/transcript-rows.ts";
import type { Items } from "../../library/items.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { AppEvents } from "../events.ts";
import { watchForAbandonedRecordings } from "./abandoned-recordings.ts";
import { emptyTranscript } from "./empty-transcript.ts";
import {
  createLiveTranscription,
  type LiveTranscription,
  type LiveTranscriptionDeps,
} from "./live-transcription.ts";
import { createLiveSpeakers, type LiveSpeakersDeps } from "./live-speakers.ts";
import { createRecordingEndings, type OpenRecording } from "./recording-endings.ts";
import { openRecordingFile, type RecordingFile } from "./recording-file.ts";

export type Recordings = {
  /**
   * With `tracks` in the options, what is appended has a channel for each of them.
   * @param title defaults to the current date and time
   * @param isLive whether it is transcribed while it goes on, not only afterwards; default: true
   */
  begin(title: string | undefined, options: DocumentOptions, isLive?: boolean): Promise<Item>;
  /** See `RecordingFile.append`. @throws AppError `not_found`, or `conflict` if the recording has ended */
  append(itemId: string, from: number, bytes: Uint8Array): Promise<number>;
  /** Ends the recording and queues its transcription. A second call has no effect. */
  end(itemId: string): Promise<Item>;
  /** Ends the recording without transcribing it, which can be done later. No effect if it has ended. */
  cancel(itemId: string): Promise<void>;
  /** Ends recordings that a shutdown left open. @returns ids of those to transcribe */
  recover(): Promise<string[]>;
  close(): Promise<void>;
};

export type RecordingsDeps = LiveTranscriptionDeps &
  LiveSpeakersDeps & {
    items: Items;
    documents: Documents;
    events: AppEvents;
    writes: RetriedWrites;
    /** Called when a recording is complete. */
    onEnd(itemId: string): void;
    /** Milliseconds of a monotonic clock. */
    now?(): number;
  };

const fileName = "source.wav";

export function createRecordings(deps: RecordingsDeps): Recordings {
  const { items, documents, events, writes, log, onEnd, now = () => performance.now() } = deps;
  const openRecordings = new Map<string, OpenRecording & { lastAudioMs: number }>();
  const path = (itemId: string): string => join(items.folder(itemId), fileName);
  const endings = createRecordingEndings({ items, writes, path, onEnd, log });
  const abandoned = watchForAbandonedRecordings({
    recordings: openRecordings,
    end: endAndTranscribe,
    events,
    log,
    now,
  });

  async function onSegments(
    itemId: string,
    newSegments: readonly TranscribedSegment[],
  ): Promise<void> {
    if (items.find(itemId) === undefined) return;
    const segments = await writes.run(() => documents.appendSegments(itemId, newSegments));
    events.publish({ type: "segments", itemId, segments });
  }

  function startLive(
    itemId: string,
    recording: RecordingFile,
    options: DocumentOptions,
  ): LiveTranscription {
    return createLiveTranscription(deps, {
      recording,
      options,
      onDraft: (draft) => events.publish({ type: "draft", itemId, ...draft }),
      onSegments: (segments) => onSegments(itemId, segments),
      onSentTo: (channel) => writes.runInBackground(() => items.recordSentTo(itemId, channel)),
    });
  }

  function end(itemId: string, state: "waiting" | "cancelled"): Promise<Item> {
    const recording = openRecordings.get(itemId);
    openRecordings.delete(itemId);
    return endings.end(itemId, state, recording);
  }

  async function endAndTranscribe(itemId: string): Promise<void> {
    const pending = endings.pending(itemId);
    if (pending !== undefined) return void (await writes.orStorageFailure(itemId, pending));
    // Also without an open recording: an earlier attempt to end it failed.
    if (openRecordings.has(itemId) || items.read(itemId).state === "recording")
      await writes.orStorageFailure(itemId, end(itemId, "waiting").then(endings.queue));
  }

  return {
    async begin(title, options, isLive = true) {
      const { item, file } = await createRecording(deps, title, options);
      const liveTranscription = isLive ? startLive(item.id, file, options) : undefined;
      const { speakers } = options;
      const liveSpeakers =
        speakers === undefined
          ? undefined
          : createLiveSpeakers(deps, { itemId: item.id, path: file.path, count: speakers });
      openRecordings.set(item.id, { file, liveTranscription, liveSpeakers, lastAudioMs: now() });
      return item;
    },
    async append(itemId, from, bytes) {
      items.read(itemId);
      const recording = openRecordings.get(itemId);
      if (recording === undefined) throw new AppError("recording.ended", {}, { param: "id" });
      const samples = await recording.file.append(from, bytes);
      recording.lastAudioMs = now();
      recording.liveTranscription?.onSamplesWritten(samples);
      recording.liveSpeakers?.onSamplesWritten(samples);
      return samples;
    },
    async end(itemId) {
      await endAndTranscribe(itemId);
      return items.read(itemId);
    },
    async cancel(itemId) {
      // If another call is already ending it, the transcription it queues is not cancelled.
      const ended = openRecordings.has(itemId) ? end(itemId, "cancelled") : endings.pending(itemId);
      if (ended !== undefined) await writes.orStorageFailure(itemId, ended);
    },
    recover() {
      const unfinished = items.list({ kind: "transcript", state: "recording" });
      return endings.recover(
        unfinished.map(({ id }) => id).filter((id) => !openRecordings.has(id)),
      );
    },
    async close() {
      abandoned.close();
      // The items keep their state, so that the next start recovers them.
      const unfinished = [...openRecordings.values()];
      openRecordings.clear();
      const closing = unfinished.map(({ file, liveTranscription, liveSpeakers }) =>
        Promise.all([liveTranscription?.close(), liveSpeakers?.close()])
          .then(file.end)
          .catch((error: unknown) => log.warn({ err: error }, "a recording could not be ended")),
      );
      await Promise.all([...closing, endings.close()]);
    },
  };
}

async function createRecording(
  { items, documents }: Pick<RecordingsDeps, "items" | "documents">,
  title: string | undefined,
  options: DocumentOptions,
): Promise<{ item: Item; file: RecordingFile }> {
  let file: RecordingFile | undefined;
  try {
    const item = await items.createWithFiles(
      {
        kind: "transcript",
        title: title ?? new Date().toLocaleString("sv-SE").slice(0, 16),
        source: "recording",
        state: "recording",
      },
      async (folder) => {
        file = await openRecordingFile(join(folder, fileName), options.tracks?.length);
      },
      (id) => void documents.save(id, emptyTranscript(options, 0)),
    );
    if (file === undefined) throw new Error("a recording was begun without a file");
    return { item, file };
  } catch (error) {
    // The folder is gone. This closes the file.
    await file?.end().catch(() => {});
    throw error;
  }
}

// Recordings made in the window: audio is written to disk as it arrives, transcribed live, and recovered after a crash.

import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Item } from "../../contract/library-item.ts";
import type { TranscribeOptions } from "../../contract/transcript-document.ts";
import type { Documents, TranscribedSegment } from "../../library/documents.ts";
import type { Items } from "../../library/items.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { AppEvents } from "../events.ts";
import {
  createLiveTranscription,
  type LiveTranscription,
  type LiveTranscriptionDeps,
} from "./live-transcription.ts";
import { openRecordingFile, type RecordingFile, sampleRateHz } from "./recording-file.ts";

export type Recordings = {
  /** @param title defaults to the current date and time */
  begin(title: string | undefined, options: TranscribeOptions): Promise<Item>;
  /** See `RecordingFile.append`. @throws AppError `not_found`, or `conflict` if the recording has ended */
  append(itemId: string, from: number, bytes: Uint8Array): Promise<number>;
  /** Ends the recording and queues its transcription. A second call has no effect. */
  end(itemId: string): Promise<Item>;
  /** Ends the recording without transcribing it, which can be done later. No effect if it has ended. */
  cancel(itemId: string): Promise<void>;
  /** Ends recordings that a shutdown left open. @returns their ids */
  recover(): Promise<string[]>;
  close(): Promise<void>;
};

export type RecordingsDeps = LiveTranscriptionDeps & {
  items: Items;
  documents: Documents;
  events: AppEvents;
  writes: RetriedWrites;
  /** Called when a recording is complete. */
  onEnd(itemId: string): void;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
};

type Recording = {
  file: RecordingFile;
  liveTranscription: LiveTranscription;
  /** Time of the last audio. */ lastAudioMs: number;
};

/**
 * A recording without new audio for this long is abandoned if no window is connected. With a window it may be paused,
 * for at most `maxPauseMs`.
 */
const abandonedAfterMs = 5 * 60_000;
const maxPauseMs = 3 * 3600_000;
const checkIntervalMs = 60_000;

/** Shorter audio contains no word. */
const minDurationSec = 0.1;

export function createRecordings(deps: RecordingsDeps): Recordings {
  const { items, documents, events, writes, onEnd, now = () => performance.now() } = deps;
  const openRecordings = new Map<string, Recording>();
  /** Recordings being ended: further requests to end one wait for the same promise. */
  const endings = new Map<string, Promise<Item>>();

  const recordingPath = (itemId: string): string => join(items.folder(itemId), "source.wav");

  async function onSegments(
    itemId: string,
    newSegments: readonly TranscribedSegment[],
  ): Promise<void> {
    if (items.find(itemId) === undefined) return;
    const segments = await writes.run(() => documents.appendSegments(itemId, newSegments));
    events.publish({ type: "segments", itemId, segments });
  }

  function stop(
    itemId: string,
    { file, liveTranscription }: Recording,
    state: "waiting" | "cancelled",
  ): Promise<Item> {
    openRecordings.delete(itemId);
    return trackEnding(itemId, async () => {
      await liveTranscription.close();
      return finalize(itemId, file, state);
    });
  }

  function trackEnding(itemId: string, work: () => Promise<Item>): Promise<Item> {
    const ended = writes.withLabel(itemId, work).finally(() => endings.delete(itemId));
    endings.set(itemId, ended);
    // Prevents an unhandled rejection: possibly no caller awaits this promise.
    ended.catch(() => {});
    return ended;
  }

  /** Retries while the disk rejects writes. @param file defaults to the file opened again */
  async function finalize(
    itemId: string,
    file: RecordingFile | undefined,
    state: "waiting" | "cancelled",
  ): Promise<Item> {
    let unfinished = file;
    const samples = await writes.run(async () => {
      const ended = unfinished ?? (await openRecordingFile(recordingPath(itemId)));
      unfinished = undefined;
      await ended.end();
      return ended.sampleCount();
    });
    const durationSec = samples / sampleRateHz;
    await writes.run(() => items.updateSize(itemId));
    if (durationSec < minDurationSec)
      return writes.run(() =>
        items.change(itemId, {
          state: "failed",
          durationSec,
          error: createMessage("recording.empty"),
        }),
      );
    return writes.run(() => items.change(itemId, { state, durationSec }));
  }

  function enqueueEnded({ id, state }: Item): void {
    if (state === "waiting") onEnd(id);
  }

  async function endAndTranscribe(itemId: string): Promise<void> {
    const recording = openRecordings.get(itemId);
    const others = endings.get(itemId);
    if (others !== undefined) return void (await writes.orStorageFailure(itemId, others));
    if (recording === undefined && items.read(itemId).state !== "recording") return;
    // Without an open recording, an earlier attempt to end it failed: retry.
    const ended =
      recording === undefined
        ? trackEnding(itemId, () => finalize(itemId, undefined, "waiting"))
        : stop(itemId, recording, "waiting");
    await writes.orStorageFailure(itemId, ended.then(enqueueEnded));
  }

  /** Closing the page does not end a recording. It is ended here and transcribed. */
  async function endAbandoned(): Promise<void> {
    const maxSilenceMs = events.hasSubscribers() ? maxPauseMs : abandonedAfterMs;
    for (const [itemId, { lastAudioMs }] of openRecordings) {
      if (now() - lastAudioMs < maxSilenceMs) continue;
      deps.log.info({ itemId }, "a recording that nobody goes on with is ended");
      await endAndTranscribe(itemId).catch((error: unknown) =>
        deps.log.warn({ itemId, err: error }, "a recording could not be ended"),
      );
    }
  }

  const checkTimer = setInterval(
    () =>
      void endAbandoned().catch((error: unknown) =>
        deps.log.warn({ err: error }, "recordings could not be looked at"),
      ),
    checkIntervalMs,
  );
  checkTimer.unref();

  return {
    async begin(title, options) {
      let file: RecordingFile | undefined;
      const item = await items
        .createWithFiles(
          {
            kind: "transcript",
            title: title ?? new Date().toLocaleString("sv-SE").slice(0, 16),
            source: "recording",
            state: "recording",
          },
          async (folder) => {
            file = await openRecordingFile(join(folder, "source.wav"));
          },
          (id) =>
            documents.save(id, {
              durationSec: 0,
              language: options.language ?? "",
              options,
              failed: [],
            }),
        )
        .catch(async (error: unknown) => {
          // The folder is gone. This closes the file.
          await file?.end().catch(() => {});
          throw error;
        });
      if (file === undefined) throw new Error("a recording was begun without a file");
      openRecordings.set(item.id, {
        file,
        lastAudioMs: now(),
        liveTranscription: createLiveTranscription(deps, {
          recordingPath: file.path,
          options,
          onSegments: (segments) => onSegments(item.id, segments),
          onChannelSelected: (channel) =>
            writes.runInBackground(() => items.recordSentTo(item.id, channel)),
        }),
      });
      return item;
    },
    async append(itemId, from, bytes) {
      items.read(itemId);
      const recording = openRecordings.get(itemId);
      if (recording === undefined) throw new AppError("recording.ended", {}, { param: "id" });
      const samples = await recording.file.append(from, bytes);
      recording.lastAudioMs = now();
      recording.liveTranscription.onSamplesWritten(samples);
      return samples;
    },
    async end(itemId) {
      await endAndTranscribe(itemId);
      return items.read(itemId);
    },
    async cancel(itemId) {
      const recording = openRecordings.get(itemId);
      // If another call is already ending it, the transcription it queues is not cancelled.
      const ended =
        recording === undefined ? endings.get(itemId) : stop(itemId, recording, "cancelled");
      if (ended !== undefined) await writes.orStorageFailure(itemId, ended);
    },
    async recover() {
      const unfinished = items
        .list({ kind: "transcript", state: "recording" })
        .filter(({ id }) => !openRecordings.has(id));
      const recoveries = unfinished.map(async ({ id }): Promise<string[]> => {
        const ended = trackEnding(id, () => finalize(id, undefined, "waiting"));
        try {
          return (await writes.orStorageFailure(id, ended)).state === "waiting" ? [id] : [];
        } catch (error) {
          // The user can end it too and then gets the error.
          deps.log.warn({ itemId: id, err: error }, "a recording could not be ended yet");
          ended.then(enqueueEnded).catch(() => {});
          return [];
        }
      });
      return (await Promise.all(recoveries)).flat();
    },
    async close() {
      clearInterval(checkTimer);
      // The items keep their state, so that the next start recovers them.
      const unfinished = [...openRecordings.values()];
      openRecordings.clear();
      const closing = unfinished.map(async ({ file, liveTranscription }) => {
        await liveTranscription.close();
        await file.end();
      });
      for (const outcome of await Promise.allSettled([...closing, ...endings.values()])) {
        if (outcome.status === "rejected")
          deps.log.warn({ err: outcome.reason as unknown }, "a recording could not be ended");
      }
    },
  };
}

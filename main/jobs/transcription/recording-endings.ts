// Ends recordings: completes the file and stores the state of the item, retried while the disk rejects writes.

import type { Item } from "../../contract/library-item.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { Items } from "../../library/items.ts";
import type { Log } from "../../log.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import type { LiveSpeakers } from "./live-speakers.ts";
import type { LiveTranscription } from "./live-transcription.ts";
import { openRecordingFile, type RecordingFile, sampleRateHz } from "./recording-file.ts";

export type OpenRecording = {
  file: RecordingFile;
  /** Omitted if it is transcribed only afterwards. */
  liveTranscription: LiveTranscription | undefined;
  /** Only where speakers are told apart. */
  liveSpeakers: LiveSpeakers | undefined;
};

export type RecordingEndings = {
  /** @param recording if it is still open; otherwise its file is opened again */
  end(
    itemId: string,
    state: "waiting" | "cancelled",
    recording: OpenRecording | undefined,
  ): Promise<Item>;
  /** Queues the recording for transcription unless it is empty. */
  queue(ended: Item): void;
  /** Set while the recording is being ended. */
  pending(itemId: string): Promise<Item> | undefined;
  /** Ends recordings that a shutdown left open. @returns ids of those to transcribe */
  recover(itemIds: readonly string[]): Promise<string[]>;
  /** Never rejects. */
  close(): Promise<void>;
};

export type RecordingEndingsDeps = {
  items: Items;
  writes: RetriedWrites;
  path(itemId: string): string;
  /** Called when a recording is complete. */
  onEnd(itemId: string): void;
  log: Log;
};

/** Shorter audio contains no word. */
const minDurationSec = 0.1;

export function createRecordingEndings({
  items,
  writes,
  path,
  onEnd,
  log,
}: RecordingEndingsDeps): RecordingEndings {
  const endings = new Map<string, Promise<Item>>();

  async function finalize(
    itemId: string,
    state: "waiting" | "cancelled",
    file: RecordingFile | undefined,
  ): Promise<Item> {
    let unfinished = file;
    const samples = await writes.run(async () => {
      const ended = unfinished ?? (await openRecordingFile(path(itemId)));
      unfinished = undefined;
      await ended.end();
      return ended.sampleCount();
    });
    const durationSec = samples / sampleRateHz;
    await writes.run(() => items.updateSize(itemId));
    const isEmpty = durationSec < minDurationSec;
    const outcome = isEmpty
      ? { state: "failed" as const, error: createMessage("recording.empty") }
      : { state };
    return writes.run(() => items.change(itemId, { durationSec, ...outcome }));
  }

  const end: RecordingEndings["end"] = (itemId, state, recording) => {
    const ended = writes
      .withLabel(itemId, async () => {
        await Promise.all([
          recording?.liveTranscription?.close(),
          recording?.liveSpeakers?.close(),
        ]);
        return finalize(itemId, state, recording?.file);
      })
      .finally(() => endings.delete(itemId));
    endings.set(itemId, ended);
    // Prevents an unhandled rejection: possibly no caller awaits this promise.
    ended.catch(() => {});
    return ended;
  };

  function queue({ id, state }: Item): void {
    if (state === "waiting") onEnd(id);
  }

  async function recover(itemId: string): Promise<string[]> {
    const ended = end(itemId, "waiting", undefined);
    try {
      return (await writes.orStorageFailure(itemId, ended)).state === "waiting" ? [itemId] : [];
    } catch (error) {
      // The user can end it too and then gets the error.
      log.warn({ itemId, err: error }, "a recording could not be ended yet");
      ended.then(queue).catch(() => {});
      return [];
    }
  }

  return {
    end,
    queue,
    pending: (itemId) => endings.get(itemId),
    recover: async (itemIds) => (await Promise.all(itemIds.map(recover))).flat(),
    async close() {
      for (const outcome of await Promise.allSettled(endings.values())) {
        if (outcome.status === "rejected")
          log.warn({ err: outcome.reason as unknown }, "a recording could not be ended");
      }
    },
  };
}

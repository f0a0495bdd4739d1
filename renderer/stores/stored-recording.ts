// A recording that is written to the library while it goes on. If the app restarts meanwhile, the rest becomes a new
// item.

import type { DocumentOptions } from "../../main/contract/transcript-document.ts";
import { beginRecording, endRecording, sendAudio } from "../api/binary.ts";
import { request } from "../api/client.ts";
import { ApiError, messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { createAudioSender } from "./audio-sender.ts";
import { storeItem } from "./items.ts";

export type StoredRecording = {
  push(samples: Int16Array): void;
  /** Resolves when every sample is on disk and transcription has started, however long that takes. */
  end(): Promise<void>;
};

export type StoredRecordingState = {
  readonly recordedSec: number;
  /** Not on disk yet. */
  readonly unsentSec: number;
  /** Why sending fails. */
  readonly message: string | undefined;
};

export type StoredRecordingEvents = {
  onChange(state: StoredRecordingState | Pick<StoredRecordingState, "message">): void;
  /** The item that is recorded: at the beginning, and when another one continues it. */
  onItem(itemId: string): void;
  /** Whether it is transcribed while it goes on; default: true. */
  isLive?: boolean;
};

const sampleRateHz = 16_000;
/** Browsers allow at most 64 KiB for requests of a closing page. */
const maxKeepaliveSamples = 30_000;
const endRetryMs = 2000;

const unsentMessage = (why: string): string => t("transcribe.record.unsent", { why });

/** Samples of two tracks are interleaved. @throws ApiError if it cannot begin */
export async function beginStoredRecording(
  title: string,
  options: Partial<DocumentOptions>,
  { onChange, onItem, isLive = true }: StoredRecordingEvents,
): Promise<StoredRecording> {
  const trackCount = options.tracks?.length ?? 1;
  const samplesPerSec = sampleRateHz * trackCount;
  let itemId = "";
  /** Index of the item's first sample in the whole recording; all tracks are counted, as in every index here. */
  let itemStartSample = 0;

  async function beginItem(itemTitle: string, fromSample: number): Promise<void> {
    const item = await beginRecording(itemTitle, options, isLive);
    itemId = item.id;
    itemStartSample = fromSample;
    storeItem(item);
    onItem(itemId);
  }

  const sendToItem = async (from: number, samples: Int16Array<ArrayBuffer>): Promise<number> =>
    itemStartSample +
    trackCount * (await sendAudio(itemId, (from - itemStartSample) / trackCount, samples));

  async function send(from: number, samples: Int16Array<ArrayBuffer>): Promise<number> {
    try {
      return await sendToItem(from, samples);
    } catch (error) {
      // The app was restarted and transcribed what it had: the rest becomes a new item.
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409))
        throw error;
      await beginItem(t("transcribe.record.rest", { title }), from);
      return sendToItem(from, samples);
    }
  }

  await beginItem(title, 0);
  const sender = createAudioSender({
    send,
    onChange: ({ storedSamples, recordedSamples, message }) =>
      onChange({
        recordedSec: recordedSamples / samplesPerSec,
        unsentSec: (recordedSamples - storedSamples) / samplesPerSec,
        message: message === undefined ? undefined : unsentMessage(message),
      }),
  });

  /** Sends the last second while the page closes; the app keeps the recording and transcribes it. */
  function sendRestOnPageHide(): void {
    const { from, samples } = sender.unsent();
    if (samples.length === 0) return;
    const url = `/app/recordings/${encodeURIComponent(itemId)}/sound?from=${(from - itemStartSample) / trackCount}`;
    void request(url, {
      method: "POST",
      body: samples.slice(0, maxKeepaliveSamples),
      headers: { "content-type": "application/octet-stream" },
      keepalive: true,
    }).catch(() => undefined);
  }

  async function endUntilAccepted(): Promise<void> {
    for (;;) {
      try {
        storeItem(await endRecording(itemId));
        return;
      } catch (error) {
        // Refused: it was ended elsewhere, or removed. Retry after any other error.
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
        onChange({ message: unsentMessage(messageOf(error)) });
        await new Promise((resolve) => setTimeout(resolve, endRetryMs));
      }
    }
  }

  addEventListener("pagehide", sendRestOnPageHide);
  return {
    push: sender.push,
    async end() {
      await sender.end();
      await endUntilAccepted();
      removeEventListener("pagehide", sendRestOnPageHide);
    },
  };
}

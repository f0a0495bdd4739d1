// Ends abandoned recordings: closing the page does not end a recording.

import type { Log } from "../../log.ts";
import type { AppEvents } from "../events.ts";

export type AbandonedRecordingsDeps = {
  /** Item id and time of the last audio of each open recording. */
  recordings: ReadonlyMap<string, { lastAudioMs: number }>;
  /** Ends the recording and queues its transcription. */
  end(itemId: string): Promise<void>;
  events: Pick<AppEvents, "hasSubscribers">;
  log: Log;
  /** Milliseconds of a monotonic clock. */
  now(): number;
};

/**
 * A recording without new audio for this long is abandoned if no window is connected. With a window it may be paused,
 * for at most `maxPauseMs`.
 */
const abandonedAfterMs = 5 * 60_000;
const maxPauseMs = 3 * 3600_000;
const checkIntervalMs = 60_000;

export function watchForAbandonedRecordings({
  recordings,
  end,
  events,
  log,
  now,
}: AbandonedRecordingsDeps): { close(): void } {
  async function check(): Promise<void> {
    const maxSilenceMs = events.hasSubscribers() ? maxPauseMs : abandonedAfterMs;
    for (const [itemId, { lastAudioMs }] of recordings) {
      if (now() - lastAudioMs < maxSilenceMs) continue;
      log.info({ itemId }, "an abandoned recording was ended");
      await end(itemId).catch((error: unknown) =>
        log.warn({ itemId, err: error }, "a recording could not be ended"),
      );
    }
  }

  const timer = setInterval(() => {
    check().catch((error: unknown) =>
      log.warn({ err: error }, "the check for abandoned recordings failed"),
    );
  }, checkIntervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

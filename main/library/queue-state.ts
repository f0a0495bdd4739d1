// What the user decided about the queue of transcriptions, kept for the next start: whether it is paused, its order.

import {
  transcriptionQueueState,
  type TranscriptionQueueState,
} from "../contract/transcription-queue.ts";
import type { Database } from "../storage/database.ts";

export type QueueStore = {
  read(): TranscriptionQueueState;
  /** Durable (survives a power cut) when it returns. */
  save(state: TranscriptionQueueState): void;
};

const settingName = "transcription-queue";

export function createQueueStore({ sqlite, change }: Database): QueueStore {
  const selectSetting = sqlite.prepare("SELECT value FROM settings WHERE name = ?");
  const upsertSetting = sqlite.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    read() {
      const stored: unknown = JSON.parse(String(selectSetting.get(settingName)?.["value"] ?? "{}"));
      return transcriptionQueueState.catch({ isPaused: false, itemIds: [] }).parse(stored);
    },
    save: (state) => void change(() => upsertSetting.run(settingName, JSON.stringify(state))),
  };
}

// What the user decided about the queue of transcriptions, kept for the next start: whether it is paused, its order.

import {
  transcriptionQueueState,
  type TranscriptionQueueState,
} from "../contract/transcription-queue.ts";
import type { Database } from "../storage/database.ts";
import { createStoredSetting, type StoredSetting } from "./stored-setting.ts";

export type QueueStore = StoredSetting<TranscriptionQueueState>;

export const createQueueStore = (database: Database): QueueStore =>
  createStoredSetting(database, "transcription-queue", transcriptionQueueState, {
    isPaused: false,
    itemIds: [],
  });

// One download: its state, and what people see of it.

import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ModelDownload } from "../../contract/model-downloads.ts";
import type { CatalogEntry } from "../../contract/models.ts";
import type { RemoteFile } from "./file-download.ts";
import type { RepositoryModel } from "./hub-repository.ts";
import { type SpeedMeter, createSpeedMeter } from "./speed-meter.ts";

export type Download = {
  entry: CatalogEntry;
  files: readonly RemoteFile[];
  /** Of what has arrived, and of its state. */
  folder: string;
  state: ModelDownload["state"];
  doneBytes: number;
  note?: SentMessage | undefined;
  error?: SentMessage | undefined;
  speed: SpeedMeter;
  publishedAtMs: number;
  stop: AbortController;
  task: Promise<void>;
};

export function createDownload(model: RepositoryModel, folder: string): Download {
  return {
    ...model,
    folder,
    state: "paused",
    doneBytes: 0,
    speed: createSpeedMeter(),
    publishedAtMs: 0,
    stop: new AbortController(),
    task: Promise.resolve(),
  };
}

export function toView({
  entry,
  files,
  state,
  doneBytes,
  note,
  error,
  speed,
}: Download): ModelDownload {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const bytesPerSec = state === "running" ? speed.bytesPerSec() : undefined;
  return {
    id: entry.id,
    name: entry.name,
    state,
    doneBytes,
    totalBytes,
    ...(bytesPerSec === undefined
      ? {}
      : { bytesPerSec, remainingSec: Math.ceil((totalBytes - doneBytes) / bytesPerSec) }),
    ...(note === undefined ? {} : { note }),
    ...(error === undefined ? {} : { error }),
  };
}

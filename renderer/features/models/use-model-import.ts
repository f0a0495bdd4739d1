// Imports a model: the app is asked whether it can be one and fits on the disk, then an archive of it is sent and
// unpacked.

import { useEffect, useState } from "react";
import {
  archiveStartBytes,
  maxPlannedTextBytes,
  type PlannedImport,
} from "../../../main/contract/model-downloads.ts";
import { importModel } from "../../api/binary.ts";
import { call } from "../../api/client.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { loadModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { toast } from "../../stores/toasts.ts";
import { t } from "../../messages/messages.ts";
import { addFinished } from "./downloads.ts";
import type { ModelSource } from "./dropped-files.ts";
import { type ArchivedFile, tarBlob } from "./tar-blob.ts";

export type ModelImport = {
  isBusy: boolean;
  error: string | undefined;
  name: string;
  /** What it is at, and how far, 0 to 1. */
  step: "sending" | "unpacking";
  fraction: number;
  start(source: ModelSource | Promise<ModelSource>): void;
  cancel(): void;
  clear(): void;
};

/** Asks the app first. @returns what to send: of several files those that are needed, packed @throws ApiError */
async function toArchive(source: ModelSource, signal: AbortSignal): Promise<Blob> {
  const planned = "archive" in source ? planArchive(source.archive) : planFiles(source.files);
  const { fileNames = [] } = await call("checkModelImport", await planned, "", signal);
  if ("archive" in source) return source.archive;
  const needed = new Set(fileNames);
  return tarBlob(source.files.filter(({ path }) => needed.has(path)));
}

async function planArchive(archive: Blob): Promise<PlannedImport> {
  const start = new Uint8Array(await archive.slice(0, archiveStartBytes).arrayBuffer());
  return { sizeBytes: archive.size, start: btoa(String.fromCharCode(...start)) };
}

async function planFiles(files: readonly ArchivedFile[]): Promise<PlannedImport> {
  const planned: NonNullable<PlannedImport["files"]> = [];
  let textBytes = 0;
  for (const { path, file } of files) {
    const isText = /\.(json|txt)$/.test(path) && file.size <= maxPlannedTextBytes;
    const isIncluded = isText && textBytes + file.size <= maxTextBytes;
    if (isIncluded) textBytes += file.size;
    planned.push({
      name: path,
      sizeBytes: file.size,
      ...(isIncluded && { text: await file.text() }),
    });
  }
  return { sizeBytes: tarBlob(files).size, files: planned };
}

/** Of all texts together. */
const maxTextBytes = 8 * maxPlannedTextBytes;

export function useModelImport(): ModelImport {
  const { isBusy, error, run, cancel, clear } = useTask();
  const [name, setName] = useState("");
  const [progress, setProgress] = useState<Pick<ModelImport, "step" | "fraction">>({
    step: "sending",
    fraction: 0,
  });
  useEffect(
    () =>
      eventStream().subscribe((event) => {
        if (event.type === "model-import")
          setProgress({ step: "unpacking", fraction: event.progress });
      }),
    [],
  );
  const start: ModelImport["start"] = (given) => {
    if (isBusy) toast({ text: () => t("models.import.busy", { name }) });
    void run(async (signal) => {
      setProgress({ step: "sending", fraction: 0 });
      const source = await given;
      setName(source.name);
      const content = await toArchive(source, signal);
      const model = await importModel(
        source.name,
        content,
        (sentBytes) =>
          setProgress((now) =>
            now.step === "sending"
              ? { ...now, fraction: sentBytes / Math.max(1, content.size) }
              : now,
          ),
        signal,
      );
      addFinished(model);
      await loadModels();
    });
  };
  return { isBusy, error, name, ...progress, start, cancel, clear };
}

// Imports a model: the app is asked whether it can be one and fits on the disk, then its archive is sent and unpacked.

import { useEffect, useState } from "react";
import { archiveStartBytes, type PlannedImport } from "../../../main/contract/model-downloads.ts";
import { importModel } from "../../api/binary.ts";
import { call } from "../../api/client.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { loadModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { addFinished } from "./downloads.ts";
import type { ModelArchive } from "./dropped-files.ts";

export type ModelImport = {
  isBusy: boolean;
  error: string | undefined;
  name: string;
  /** What it is at, and how far, 0 to 1. */
  step: "sending" | "unpacking";
  fraction: number;
  start(archive: ModelArchive | Promise<ModelArchive>): void;
  cancel(): void;
  clear(): void;
};

async function plan({ content, fileNames }: ModelArchive): Promise<PlannedImport> {
  const sizeBytes = content.size;
  if (fileNames !== undefined) return { sizeBytes, fileNames: [...fileNames] };
  const start = new Uint8Array(await content.slice(0, archiveStartBytes).arrayBuffer());
  return { sizeBytes, start: btoa(String.fromCharCode(...start)) };
}

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
  const start: ModelImport["start"] = (archive) =>
    void run(async (signal) => {
      setProgress({ step: "sending", fraction: 0 });
      const chosen = await archive;
      const { name: fileName, content } = chosen;
      setName(fileName);
      await call("checkModelImport", await plan(chosen), "", signal);
      const model = await importModel(
        fileName,
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
  return { isBusy, error, name, ...progress, start, cancel, clear };
}

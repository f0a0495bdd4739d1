// Imports a model: its archive is sent, then unpacked by the app.

import { useEffect, useState } from "react";
import { importModel } from "../../api/binary.ts";
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
      const { name: fileName, content } = await archive;
      setName(fileName);
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

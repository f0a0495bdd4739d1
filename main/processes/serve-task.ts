// The child's end of run-task.ts.

import { AppError, storageFailure } from "../contract/errors.ts";
import { connectToParent } from "./child-port.ts";
import { startWatchdog } from "./start-watchdog.ts";
import type { FromTask, ToTask } from "./task-messages.ts";
import { field } from "./watchdog-state.ts";

/** Does the one task that this process is for. */
export function serveTask<Task, Progress = never>(
  work: (task: Task, onProgress: (progress: Progress) => void) => unknown,
): void {
  const watched = startWatchdog();
  const { send, onMessage } = connectToParent(watched);
  const tell = (message: FromTask): void => send(message);
  onMessage((raw) => {
    // The app sends what task-messages.ts says; both ends are one version of one program.
    const { task, maxMb } = raw as ToTask;
    Atomics.store(watched, field.maxMb, maxMb);
    void (async () => {
      try {
        tell({
          type: "done",
          value: await work(task as Task, (value) => tell({ type: "progress", value })),
        });
      } catch (error) {
        const known = error instanceof AppError ? error : storageFailure(error);
        if (known === undefined)
          tell({ type: "failed", message: String(error instanceof Error ? error.stack : error) });
        else
          tell({
            type: "failed",
            key: known.key,
            message: known.message,
            ...(known.param === undefined ? {} : { param: known.param }),
          });
      }
    })();
  });
}

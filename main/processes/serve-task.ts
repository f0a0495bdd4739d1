// Child side of run-task.ts.

import { serializeError } from "../contract/errors.ts";
import { connectToParent } from "./parent-port.ts";
import { startWatchdog } from "./start-watchdog.ts";
import type { FromTask, ToTask } from "./task-messages.ts";
import { stateIndex } from "./watchdog-state.ts";

/** Runs the only task of this process. */
export function serveTask<Task, Progress = never>(
  work: (task: Task, onProgress: (progress: Progress) => void) => unknown,
): void {
  const watchdogState = startWatchdog();
  const { send, onMessage } = connectToParent(watchdogState);
  const sendMessage = (message: FromTask): void => send(message);
  onMessage((raw) => {
    // The cast is safe: app and child are the same version.
    const { task, maxMb } = raw as ToTask;
    Atomics.store(watchdogState, stateIndex.maxMb, maxMb);
    void (async () => {
      try {
        sendMessage({
          type: "done",
          value: await work(task as Task, (value) => sendMessage({ type: "progress", value })),
        });
      } catch (error) {
        sendMessage({ type: "failed", error: serializeError(error) });
      }
    })();
  });
}

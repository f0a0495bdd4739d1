// The loop of an engine child process, whatever its runtime: runs its tasks, and reports memory and results.
// processes/parent-port.ts hides the host (Node or Electron).

import { serializeError } from "../../contract/errors.ts";
import { sizeOfFiles } from "../../contract/model-size.ts";
import type { InstalledModel } from "../../contract/models.ts";
import { limitYoungGeneration } from "../../processes/host-common.ts";
import { connectToParent } from "../../processes/parent-port.ts";
import type { ChildSetup, FromChild, TaskHandlers, TaskName, ToChild } from "./protocol.ts";
import { startTaskWatchdog } from "./task-watchdog.ts";

export type TaskServer = {
  /** Tasks of the other runtime are missing. */
  readonly tasks: Partial<TaskHandlers>;
  setUp(setup: ChildSetup): void;
  closeSession(session: string): void;
  loadedModels(): [id: string, bytes: number][];
};

/** @param createServer is given a function to call after a model was loaded or unloaded */
export function serveTasks(createServer: (onModelsChange: () => void) => TaskServer): void {
  limitYoungGeneration();
  const watchdog = startTaskWatchdog();
  const parent = connectToParent(watchdog.state);
  const sendToParent = (message: FromChild): void => parent.send(message);
  const reportMemory = (): void =>
    sendToParent({
      type: "memory",
      rssBytes: process.memoryUsage.rss(),
      models: Object.fromEntries(server.loadedModels()),
    });
  const server = createServer(reportMemory);
  const running = new Map<number, AbortController>();
  let runningTasks: Promise<void> = Promise.resolve();

  async function run(id: number, name: TaskName, input: unknown): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    sendToParent({ type: "started", id });
    watchdog.begin(name, modelBytes(input));
    try {
      // No validation: pool and child always have the same version, so messages follow protocol.ts.
      const task = server.tasks[name] as
        | ((input: unknown, signal: AbortSignal) => Promise<unknown>)
        | undefined;
      if (task === undefined) throw new Error(`this process has no task ${name}`);
      const result = await task(input, controller.signal);
      reportMemory();
      sendToParent({ type: "done", id, result });
    } catch (error) {
      reportMemory();
      sendToParent({ type: "failed", id, error: serializeError(error) });
    } finally {
      running.delete(id);
      if (running.size === 0) watchdog.end();
    }
  }

  parent.onMessage((raw) => {
    const message = raw as ToChild;
    if (message.type === "task")
      runningTasks = both(runningTasks, run(message.id, message.name, message.input));
    else if (message.type === "cancel") running.get(message.id)?.abort();
    else if (message.type === "setup") server.setUp(message.setup);
    // If the running task is opening this session, it must not leave it behind.
    else if (message.type === "forget")
      runningTasks
        .then(() => server.closeSession(message.session))
        .catch((error: unknown) =>
          process.stderr.write(`a session could not be closed: ${String(error)}\n`),
        );
    else process.exit(0);
  });

  sendToParent({ type: "ready" });
}

async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.all([one, other]);
}

function modelBytes(input: unknown): number {
  const { model } = input as { model?: InstalledModel };
  return model === undefined ? 0 : sizeOfFiles(model.files);
}

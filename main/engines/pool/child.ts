// Entry module of every engine child process; runs one task at a time. Untrusted media, inference and encoding are
// handled only here, never in the server process. processes/parent-port.ts hides the host (Node or Electron).

import { connectToParent } from "../../processes/parent-port.ts";
import { serializeError } from "../../contract/errors.ts";
import { createTaskHandlers } from "./task-handlers.ts";
import type { FromChild, TaskName, ToChild } from "./protocol.ts";
import { startTaskWatchdog } from "./task-watchdog.ts";

const watchdog = startTaskWatchdog();
const parent = connectToParent(watchdog.state);
const sendToParent = (message: FromChild): void => parent.send(message);
const reportMemory = (): void =>
  sendToParent({
    type: "memory",
    rssBytes: process.memoryUsage.rss(),
    models: Object.fromEntries(loadedModels()),
  });
const { tasks, closeSession, loadedModels, setLimits } = createTaskHandlers(reportMemory);
const running = new Map<number, AbortController>();
let currentTask = Promise.resolve();

async function run(id: number, name: TaskName, input: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  sendToParent({ type: "started", id });
  watchdog.begin(name);
  try {
    // No validation: pool and child always have the same version, so messages follow protocol.ts.
    const task = tasks[name] as (input: unknown, signal: AbortSignal) => Promise<unknown>;
    const result = await task(input, controller.signal);
    reportMemory();
    sendToParent({ type: "done", id, result });
  } catch (error) {
    reportMemory();
    sendToParent({ type: "failed", id, error: serializeError(error) });
  } finally {
    watchdog.end();
    running.delete(id);
  }
}

parent.onMessage((raw) => {
  const message = raw as ToChild;
  if (message.type === "task") currentTask = run(message.id, message.name, message.input);
  else if (message.type === "cancel") running.get(message.id)?.abort();
  else if (message.type === "limits") setLimits(message.limits);
  // If the running task is opening this session, it must not leave it behind.
  else if (message.type === "forget")
    currentTask
      .then(() => closeSession(message.session))
      .catch((error: unknown) =>
        process.stderr.write(`a session could not be closed: ${String(error)}\n`),
      );
  else process.exit(0);
});

sendToParent({ type: "ready" });

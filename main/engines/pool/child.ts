// The module every engine process runs. Takes one task after the other; all untrusted media, all inference and
// all encoding is in here, never in the gateway's own process. The host (plain Node or Electron) is hidden by
// processes/child-port.ts.

import { connectToParent } from "../../processes/child-port.ts";
import { AppError, storageFailure } from "../../contract/errors.ts";
import { createTaskTable } from "./task-table.ts";
import type { FromChild, TaskName, ToChild } from "./protocol.ts";
import { watchWork } from "./watched-work.ts";

const watched = watchWork();
const parent = connectToParent(watched.state);
const answer = (message: FromChild): void => parent.send(message);
const tellMemory = (): void =>
  answer({
    type: "memory",
    rssBytes: process.memoryUsage.rss(),
    models: Object.fromEntries(loaded()),
  });
const { tasks, forget, loaded, setLimits } = createTaskTable(tellMemory);
const running = new Map<number, AbortController>();
let latest = Promise.resolve();

async function run(id: number, name: TaskName, input: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  answer({ type: "taken", id });
  watched.begin(name);
  try {
    // The pool sends what protocol.ts says; both ends are one version of one program.
    const task = tasks[name] as (input: unknown, signal: AbortSignal) => Promise<unknown>;
    const result = await task(input, controller.signal);
    tellMemory();
    answer({ type: "done", id, result });
  } catch (error) {
    tellMemory();
    const known = error instanceof AppError ? error : storageFailure(error);
    if (known !== undefined)
      answer({
        type: "failed",
        id,
        message: known.message,
        key: known.key,
        ...(known.param === undefined ? {} : { param: known.param }),
      });
    else
      answer({ type: "failed", id, message: String(error instanceof Error ? error.stack : error) });
  } finally {
    watched.end();
    running.delete(id);
  }
}

parent.onMessage((raw) => {
  const message = raw as ToChild;
  if (message.type === "task") latest = run(message.id, message.name, message.input);
  else if (message.type === "cancel") running.get(message.id)?.abort();
  else if (message.type === "limits") setLimits(message.limits);
  // The task that is just opening the session must not leave it behind.
  else if (message.type === "forget")
    latest
      .then(() => forget(message.session))
      .catch((error: unknown) =>
        process.stderr.write(`a session could not be closed: ${String(error)}\n`),
      );
  else process.exit(0);
});

answer({ type: "ready" });

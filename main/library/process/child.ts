// Entry of the library's child process: runs tasks one after the other on its own connection.

import { connectToParent } from "../../processes/parent-port.ts";
import { startWatchdog } from "../../processes/start-watchdog.ts";
import { serializeError, toStorageError } from "../../contract/errors.ts";
import { type Database, openExistingDatabase } from "../../storage/database.ts";
import type { LibraryTask } from "../library-tasks.ts";
import type { FromChild, ToChild } from "./messages.ts";
import { createLibraryTasks } from "./tasks.ts";

// The watchdog ends the process if the app exits during a statement, which may take seconds.
const parent = connectToParent(startWatchdog());
const send = (message: FromChild): void => parent.send(message);

type Library = {
  database: Database;
  tasks: Record<LibraryTask, (...args: readonly unknown[]) => unknown>;
};

function openLibrary(path: string): Library {
  const database = openExistingDatabase(path, (error) =>
    send({ type: "damage", message: (error as Error).message }),
  );
  return {
    database,
    tasks: createLibraryTasks(database, (itemId, revision) =>
      send({ type: "document", itemId, revision }),
    ) as never,
  };
}

let library: Library | undefined;
let lastTask: Promise<void> = Promise.resolve();
parent.onMessage((message) => (lastTask = lastTask.then(() => perform(message as ToChild))));

async function perform({ path, id, task, args }: ToChild): Promise<void> {
  try {
    library ??= openLibrary(path);
    send({ type: "done", id, result: await library.tasks[task](...args) });
  } catch (error) {
    if (toStorageError(error)?.key === "storage_unavailable") closeForReopening();
    send({ type: "failed", id, error: serializeError(error) });
  }
}

/** A connection opened while the disk was read-only stays read-only, so the next task reopens it. */
function closeForReopening(): void {
  library?.database.close();
  library = undefined;
}

// The module of the library's process: does the tasks it is told, one after the other, on a connection of its own.

import { connectToParent } from "../../processes/child-port.ts";
import { startWatchdog } from "../../processes/start-watchdog.ts";
import { AppError, storageFailure } from "../../contract/errors.ts";
import { type Database, openExisting } from "../../storage/database.ts";
import type { LibraryTask } from "../library-tasks.ts";
import type { FromChild, ToChild } from "./messages.ts";
import { createLibraryTasks } from "./tasks.ts";

// Where the app ends while a statement runs, which may take seconds.
const parent = connectToParent(startWatchdog());
const tell = (message: FromChild): void => parent.send(message);

type Library = {
  database: Database;
  tasks: Record<LibraryTask, (...args: readonly unknown[]) => unknown>;
};

function open(path: string): Library {
  const database = openExisting(path, (error) =>
    tell({ type: "damage", message: (error as Error).message }),
  );
  return {
    database,
    tasks: createLibraryTasks(database, (itemId, revision) =>
      tell({ type: "document", itemId, revision }),
    ) as never,
  };
}

let library: Library | undefined;
let last: Promise<void> = Promise.resolve();
parent.onMessage((message) => (last = last.then(() => perform(message as ToChild))));

async function perform({ path, id, task, args }: ToChild): Promise<void> {
  try {
    library ??= open(path);
    tell({ type: "done", id, result: await library.tasks[task](...args) });
  } catch (error) {
    const known = error instanceof AppError ? error : storageFailure(error);
    const { key, param, retryAfterSec } = known ?? {};
    if (key === "storage_unavailable") reopenLater();
    tell({
      type: "failed",
      id,
      message: known?.message ?? String((error as Error).stack),
      ...(key === undefined ? {} : { key }),
      ...(param === undefined ? {} : { param }),
      ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
    });
  }
}

/** A connection that was opened while the disk was read-only stays so. */
function reopenLater(): void {
  library?.database.close();
  library = undefined;
}

// The pending tasks of narrations, as they are stored.

import { expect, it } from "vitest";
import { createItems } from "../../../main/library/items.ts";
import { createNarrationWork, type SentenceTask } from "../../../main/library/narration-work.ts";
import { createNarrations } from "../../../main/library/narrations.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

it("stores tasks under the names of earlier versions, and reads them back", async () => {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const { id } = items.create({ kind: "narration", title: "Book", source: "text" });
  createNarrations(database).create(id, {
    script: "",
    options: { model: "tts-1", voice: "nova", speed: 1 },
  });
  const work = createNarrationWork(database);
  const tasks: readonly SentenceTask[] = ["generate", "take", "check"];
  for (const task of tasks) work.add(id, task, [`${task}-1`]);
  const stored = database.sqlite
    .prepare("SELECT sentence_id, task FROM narration_work ORDER BY task")
    .all()
    .map(({ sentence_id, task }) => [sentence_id, task]);
  expect(stored).toEqual([
    ["check-1", "check"],
    ["generate-1", "make"],
    ["take-1", "take"],
  ]);
  const pending = work.loadPending(id);
  let step = pending.next();
  while (step.done !== true) step = pending.next();
  expect(Object.fromEntries(step.value)).toEqual({
    "generate-1": "generate",
    "take-1": "take",
    "check-1": "check",
  });
});

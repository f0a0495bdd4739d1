import { expect, it } from "vitest";
import { narrateOptions } from "../../../../main/contract/studio.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrationWork } from "../../../../main/library/narration-work.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createPronunciations } from "../../../../main/library/pronunciations.ts";
import { createPatientWrites } from "../../../../main/storage/patient-writes.ts";
import { createOpenBooks } from "../../../../main/jobs/narration/open-books.ts";
import type { SentenceSound } from "../../../../main/jobs/narration/speaking.ts";
import { startWorkRun } from "../../../../main/jobs/narration/work-run.ts";
import { never, quietLog } from "../../../support/app.ts";
import { library } from "../../../support/library.ts";
import { awkwardFolder } from "../../../support/test-data.ts";

/** A narration of one sentence, whose work is to be read. */
async function oneSentence() {
  const database = library();
  const narrations = createNarrations(database);
  const items = createItems(database, { dataDir: await awkwardFolder() });
  const { id: itemId } = items.create({ kind: "narration", title: "x", source: "text" }, (id) =>
    narrations.create(id, { script: "One here.", options: narrateOptions.parse({}) }),
  );
  const books = createOpenBooks({
    narrations,
    pronunciations: createPronunciations(database),
    voices: () => [],
  });
  const work = createNarrationWork(database);
  work.add(
    itemId,
    "make",
    books.get(itemId).sentences.map(({ id }) => id),
  );
  const sound: SentenceSound = {
    speak: async () => ({
      id: "take",
      durationSec: 1,
      madeAtMs: 1,
      model: "tts-1",
      channel: "tones",
    }),
    adopt: async () => undefined,
    check: () => Promise.reject(new Error("nothing is checked")),
    takePath: () => "",
  };
  return {
    itemId,
    book: () => books.get(itemId),
    narrations,
    work,
    sound,
    writes: createPatientWrites({ log: quietLog, firstPauseMs: 1 }),
    lanes: 1,
    onSentence() {},
    onProgress() {},
  };
}

it("reads its work again where the disk did not let it", async () => {
  const deps = await oneSentence();
  let reads = 0;
  const work: typeof deps.work = {
    ...deps.work,
    *open(itemId) {
      reads += 1;
      if (reads === 1)
        throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
      return yield* deps.work.open(itemId);
    },
  };
  await startWorkRun({ ...deps, work }, never()).done;
  expect(reads).toBe(2);
  expect(deps.work.has(deps.itemId)).toBe(false);
});

import { expect, it } from "vitest";
import { narrateOptions } from "../../../../main/contract/narration.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrationWork } from "../../../../main/library/narration-work.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createVocabulary } from "../../../../main/library/vocabulary.ts";
import { createRetriedWrites } from "../../../../main/storage/retried-writes.ts";
import { createNarrationCache } from "../../../../main/jobs/narration/narration-cache.ts";
import type { SentenceAudio } from "../../../../main/jobs/narration/sentence-audio.ts";
import { startNarrationRun } from "../../../../main/jobs/narration/narration-run.ts";
import { neverAborted, quietLog } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";

/** A narration of one sentence, whose stored work the test reads. */
async function oneSentence() {
  const database = openTestLibrary();
  const narrations = createNarrations(database);
  const items = createItems(database, { dataDir: await openTestFolder() });
  const { id: itemId } = items.create({ kind: "narration", title: "x", source: "text" }, (id) =>
    narrations.create(id, { script: "One here.", options: narrateOptions.parse({}) }),
  );
  const cache = createNarrationCache({
    narrations,
    vocabulary: createVocabulary(database),
    voices: () => [],
  });
  const work = createNarrationWork(database);
  work.add(
    itemId,
    "generate",
    cache.get(itemId).sentences.map(({ id }) => id),
  );
  const sentenceAudio: SentenceAudio = {
    synthesize: async () => ({
      id: "take",
      durationSec: 1,
      madeAtMs: 1,
      model: "tts-1",
      channel: "tones",
    }),
    copyTake: async () => undefined,
    takePath: () => "",
  };
  return {
    itemId,
    narration: () => cache.get(itemId),
    narrations,
    work,
    sentenceAudio,
    checkTake: () => Promise.reject(new Error("nothing is checked")),
    writes: createRetriedWrites({ log: quietLog, firstRetryMs: 1 }),
    maxConcurrent: 1,
    onSentence() {},
    onProgress() {},
  };
}

it("reads its stored work again after a disk error", async () => {
  const deps = await oneSentence();
  let reads = 0;
  const work: typeof deps.work = {
    ...deps.work,
    *loadPending(itemId) {
      reads += 1;
      if (reads === 1)
        throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
      return yield* deps.work.loadPending(itemId);
    },
  };
  await startNarrationRun({ ...deps, work }, neverAborted()).done;
  expect(reads).toBe(2);
  expect(deps.work.has(deps.itemId)).toBe(false);
});

import { expect, it } from "vitest";
import type { AppEvent } from "../../../../main/contract/app-event.ts";
import { createLiveSpeakers } from "../../../../main/jobs/transcription/live-speakers.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { quietLog } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { documentHeader, transcribedSegments } from "../../../support/transcripts.ts";

const samplesIn = (sec: number): number => sec * 16_000;

/** A recording with a segment every two seconds; its second speaker is heard after 15 s. */
async function opened({
  follow = () => {},
  findUntil = async () => {},
}: { follow?: () => void; findUntil?: () => Promise<void> } = {}) {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documents = createDocuments(database);
  const { id: itemId } = items.create({ kind: "transcript", title: "Talk", source: "recording" });
  documents.save(itemId, documentHeader, transcribedSegments("One.", "Two.", "Three."));
  const labelledUntil: number[] = [];
  const published: string[][] = [];
  const live = createLiveSpeakers(
    {
      followSpeakers() {
        follow();
        return async (durationSec) => {
          labelledUntil.push(durationSec);
          await findUntil();
          return {
            turns: [
              { fromSec: 0, toSec: 1.6, speaker: 0 },
              { fromSec: 2, toSec: 5.5, speaker: durationSec > 15 ? 1 : 0 },
            ],
            prints: [new Float32Array(), new Float32Array()],
          };
        };
      },
      voices: () => [],
      documents,
      events: {
        publish: (event: AppEvent) =>
          void (
            event.type === "segments" &&
            published.push(event.segments.map(({ id, speaker }) => `${id} ${speaker}`))
          ),
      },
      log: quietLog,
    },
    { itemId, path: "source.wav", count: {} },
  );
  /** Resolves when what it starts is done. */
  const write = async (sec: number): Promise<void> => {
    live.onSamplesWritten(samplesIn(sec));
    await new Promise(setImmediate);
  };
  return { live, write, labelledUntil, published, documents, itemId };
}

it("announces labels that settle as more is recorded, and stores none", async () => {
  const { write, published, documents, itemId } = await opened();
  await write(10);
  await write(20);
  expect(published).toEqual([
    ["0 A", "1 A", "2 A"],
    ["0 A", "1 B", "2 B"],
  ]);
  expect(documents.read(itemId).segments.some(({ speaker }) => speaker !== undefined)).toBe(false);
});

it("keeps names that a person gave, also for what the same voice says elsewhere", async () => {
  const { write, published, documents, itemId } = await opened();
  const [, second] = documents.read(itemId).segments;
  if (second === undefined) throw new Error("not stored");
  documents.apply(itemId, { revision: 1, put: [{ ...second, speaker: "Ada" }], remove: [] });
  await write(20);
  expect(published).toEqual([["0 A", "2 Ada"]]);
});

it("labels again after ten seconds, and less often in a long recording", async () => {
  const { write, labelledUntil } = await opened();
  for (const sec of [5, 10, 15, 20, 1000, 1040, 1060]) await write(sec);
  expect(labelledUntil).toEqual([10, 20, 1000, 1060]);
});

it("gives up after a failure: the speakers are found when the recording has ended", async () => {
  const { write, labelledUntil, live, published } = await opened({
    findUntil: () => Promise.reject(new Error("lost")),
  });
  await write(10);
  await write(20);
  await live.close();
  expect([labelledUntil, published]).toEqual([[10], []]);
});

it("lets a recording go on where speakers cannot be told apart", async () => {
  const { write, live, published } = await opened({
    follow: () => {
      throw new Error("no such model");
    },
  });
  await write(10);
  await live.close();
  expect(published).toEqual([]);
});

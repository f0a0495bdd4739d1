import { expect, it } from "vitest";
import type { Speakers } from "../../../../main/contract/speakers.ts";
import type { Pool } from "../../../../main/engines/pool/pool.ts";
import { createPoolJob } from "../../../../main/engines/pool/pool-job.ts";
import type { TaskRunner } from "../../../../main/engines/pool/task-runner.ts";
import { createRememberedVoices } from "../../../../main/jobs/transcription/remembered-voices.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createPeople, type People } from "../../../../main/library/people.ts";
import { neverAborted } from "../../../support/app.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { documentHeader, transcribedSegment } from "../../../support/transcripts.ts";

/** Cuts a range out of a file at once. */
function cuttingPool(ranges: [number, number][]): Pool {
  const pin = () => {
    let range: [number, number] = [0, 0];
    return {
      session: 1,
      release() {},
      async run(task: string, { fromSec, toSec }: { fromSec: number; toSec: number }) {
        if (task === "split.open") ranges.push((range = [fromSec, toSec]));
        return { fromSec: range[0], toSec: range[1], ended: true };
      },
    };
  };
  const runner = { pin } as unknown as TaskRunner;
  return { job: () => createPoolJob(runner) } as unknown as Pool;
}

/** Learnt from another recording. */
const otherVoice = {
  itemId: "other",
  title: "Other",
  speechSec: 5,
  print: Float32Array.from([1, 0]),
};

/** One transcript: A speaks from 0 to 10 s and from 20 to 50 s, Ada (a guess) from 10 to 20 s. */
async function opened({
  printSec = 8,
  print = [3, 4],
  onAnalysis,
}: { printSec?: number; print?: number[]; onAnalysis?: (people: People) => void } = {}) {
  const dataDir = await openTestFolder();
  const database = openTestLibrary();
  const items = createItems(database, { dataDir });
  const documents = createDocuments(database);
  const people = createPeople(database);
  const ranges: [number, number][] = [];
  const { id: itemId } = items.create({ kind: "transcript", title: "Talk", source: "file" });
  documents.save(
    itemId,
    { ...documentHeader, recognized: { Ada: 0.8 } },
    (
      [
        [0, 10, "A"],
        [10, 20, "Ada"],
        [20, 50, "A"],
      ] as const
    ).map(([startSec, endSec, speaker]) => ({
      ...transcribedSegment("What they say"),
      startSec,
      endSec,
      speaker,
    })),
  );
  const voices = createRememberedVoices({
    items,
    documents,
    people,
    media: { source: async () => "talk.mp3" },
    pool: cuttingPool(ranges),
    tempDir: () => dataDir,
    async findSpeakers(): Promise<Speakers> {
      onAnalysis?.(people);
      return {
        turns: [{ fromSec: 0, toSec: printSec, speaker: 0 }],
        prints: [Float32Array.from(print)],
      };
    },
  });
  return {
    people,
    documents,
    itemId,
    ranges,
    remember: (speaker: string, name: string) =>
      voices.remember({ itemId, speaker, name }, neverAborted()),
    correct: (speaker: string, name: string, formerName = speaker) =>
      voices.correct({ itemId, speaker, name, formerName }, neverAborted()),
    revert: (correctionId: string, id = itemId) => voices.revert(id, correctionId),
    speakers: () => documents.read(itemId).segments.map(({ speaker }) => speaker),
  };
}

it("remembers a voice by what the speaker says, the longest parts first", async () => {
  const { remember, people, ranges, speakers, itemId } = await opened();
  expect(await remember("A", "Bob")).toMatchObject({
    name: "Bob",
    recordings: [{ itemId, title: "Talk", speechSec: 16 }],
  });
  expect(ranges).toEqual([
    [20, 40],
    [0, 10],
  ]);
  const [stored] = people.exportAll();
  expect(stored?.recordings[0]?.print[0]).toBeCloseTo(0.6);
  expect(speakers()).toEqual(["A", "Ada", "A"]);
});

it("refuses speakers who say too little, and those who are not in the transcript", async () => {
  const { remember, people } = await opened({ printSec: 1 });
  await expect(remember("A", "Bob")).rejects.toThrow(
    expect.objectContaining({ key: "audio_too_short" }),
  );
  await expect(remember("Eve", "Eve")).rejects.toThrow(
    expect.objectContaining({ key: "invalid_request" }),
  );
  expect(people.list()).toEqual([]);
});

it("corrects a name in the whole transcript, and learns nothing of people who are not remembered", async () => {
  const { correct, people, documents, itemId, speakers, ranges } = await opened();
  expect(await correct("Ada", "Eve")).toMatchObject({ revision: 2, isLearnt: false });
  expect(speakers()).toEqual(["A", "Eve", "A"]);
  expect(documents.read(itemId).recognized).toBeUndefined();
  expect([people.list(), ranges]).toEqual([[], []]);
});

it("learns a corrected voice of remembered people, and forgets it for whom it was taken for", async () => {
  const { correct, remember, people, speakers } = await opened();
  await remember("Ada", "Ada");
  people.remember("Bob", otherVoice);
  expect(await correct("Ada", "bob")).toMatchObject({ isLearnt: true });
  expect(speakers()).toEqual(["A", "Bob", "A"]);
  expect(people.list().map(({ name, recordings }) => [name, recordings.length])).toEqual([
    ["Ada", 0],
    ["Bob", 2],
  ]);
});

it("forgets it also where the transcript was changed before", async () => {
  const { correct, remember, people } = await opened();
  await remember("Ada", "Bob");
  expect(people.list()[0]?.recordings).toHaveLength(1);
  expect(await correct("Ada", "Ada", "Bob")).toMatchObject({ isLearnt: false });
  expect(people.list()[0]?.recordings).toEqual([]);
});

it("confirms a right guess, without a revision that edits would conflict with", async () => {
  const { correct, remember, people, documents, itemId } = await opened();
  await remember("A", "Ada");
  expect(await correct("Ada", "Ada")).toMatchObject({ revision: 1, isLearnt: true });
  expect(documents.read(itemId).recognized).toBeUndefined();
  expect(people.list()[0]?.recordings).toHaveLength(1);
});

it("gives the right name even if there is too little to learn from", async () => {
  const { correct, people, speakers } = await opened({ printSec: 1 });
  people.remember("Bob", otherVoice);
  expect(await correct("Ada", "Bob")).toMatchObject({ isLearnt: false });
  expect(speakers()).toEqual(["A", "Bob", "A"]);
});

it("learns no voice from silence", async () => {
  const { remember, people } = await opened({ print: [NaN, NaN] });
  await expect(remember("A", "Bob")).rejects.toThrow(
    expect.objectContaining({ key: "audio_too_short" }),
  );
  expect(people.list()).toEqual([]);
});

it("learns nothing of a person who is forgotten meanwhile", async () => {
  const { correct, people, speakers } = await opened({
    onAnalysis: (known) => known.list().forEach(({ id }) => known.remove(id)),
  });
  people.remember("Bob", otherVoice);
  expect(await correct("Ada", "Bob")).toMatchObject({ isLearnt: false });
  expect([speakers(), people.list()]).toEqual([["A", "Bob", "A"], []]);
});

const known = (people: People) =>
  people
    .exportAll()
    .map(({ name, recordings }) => [
      name,
      ...recordings.map(
        ({ itemId, print }) => `${itemId === "other" ? "other" : "talk"} ${print[0]}`,
      ),
    ]);

it("unlearns a correction that is taken back, and knows again what it had replaced", async () => {
  const { correct, remember, revert, people, documents, itemId } = await opened();
  await remember("Ada", "Ada");
  people.remember("Bob", otherVoice);
  const before = known(people);
  const { correctionId } = await correct("Ada", "Bob");
  expect(known(people)).not.toEqual(before);
  expect(revert(correctionId, "other")).toBe(false);
  expect(revert(correctionId)).toBe(true);
  expect(known(people)).toEqual(before);
  expect(documents.read(itemId).recognized).toEqual({ Ada: 0.8 });
  expect(revert(correctionId)).toBe(false);
});

it("does not bring back a person who was forgotten since", async () => {
  const { correct, remember, revert, people } = await opened();
  const { id } = await remember("Ada", "Ada");
  people.remember("Bob", otherVoice);
  const { correctionId } = await correct("Ada", "Bob");
  people.remove(id);
  expect(revert(correctionId)).toBe(true);
  expect(known(people)).toEqual([["Bob", "other 1"]]);
});

import { expect, it } from "vitest";
import { createDocuments } from "../../../main/library/documents.ts";
import { listSpeakers, readFirstWords } from "../../../main/library/item-overview.ts";
import { createItems } from "../../../main/library/items.ts";
import { createNarrations } from "../../../main/library/narrations.ts";
import { narrateOptions } from "../../../main/contract/narration.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { documentHeader, transcribedSegments } from "../../support/transcripts.ts";

async function openItems() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const create = (kind: "transcript" | "narration"): string =>
    items.create({ kind, title: "A talk", source: "file" }).id;
  return { database, create, documents: createDocuments(database) };
}

it("reads the first words of transcripts and scripts on one line, and none where there are none", async () => {
  const { database, create, documents } = await openItems();
  const [talk, long, empty, book] = [
    create("transcript"),
    create("transcript"),
    create("transcript"),
    create("narration"),
  ];
  documents.save(
    talk,
    documentHeader,
    transcribedSegments("Good morning,", "everybody.", "Three", "four"),
  );
  documents.save(long, documentHeader, transcribedSegments("😀".repeat(500)));
  createNarrations(database).create(book, {
    options: narrateOptions.parse({}),
    script: "Chapter\n\none",
  });
  expect(readFirstWords(database, [talk, long, empty, book, "unknown"])).toEqual({
    [talk]: "Good morning, everybody. Three",
    [long]: "😀".repeat(160),
    [book]: "Chapter one",
  });
});

/** A segment for each of these speakers. */
const spoken = (...speakers: (string | undefined)[]) =>
  transcribedSegments(...speakers.map(() => "words")).map((segment, index) => {
    const speaker = speakers[index];
    return speaker === undefined ? segment : { ...segment, speaker };
  });

it("lists who speaks in which items", async () => {
  const { database, create, documents } = await openItems();
  const [first, second, third] = [create("transcript"), create("transcript"), create("transcript")];
  documents.save(first, documentHeader, spoken("Mia", "Ben", "Mia"));
  documents.save(second, documentHeader, spoken("Mia", undefined));
  documents.save(third, documentHeader, spoken(undefined));
  const speakers = listSpeakers(database).map(({ name, itemIds }) => ({
    name,
    itemIds: itemIds.toSorted(),
  }));
  expect(speakers).toEqual([
    { name: "Ben", itemIds: [first] },
    { name: "Mia", itemIds: [first, second].toSorted() },
  ]);
});

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import {
  type DocumentSegment,
  firstEditedSegmentId,
} from "../../../main/contract/transcript-document.ts";
import { createDocuments } from "../../../main/library/documents.ts";
import { createItems } from "../../../main/library/items.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";
import {
  transcribedSegments,
  documentHeader,
  transcribedSegment,
} from "../../support/transcripts.ts";

async function openDocuments() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documentChanges: unknown[] = [];
  const documents = createDocuments(database, {
    onChange: (...change) => documentChanges.push(change),
    now: () => 5_000_000_000_000,
  });
  const { id } = items.create({ kind: "transcript", title: "A talk", source: "file" });
  return { database, items, documents, id, documentChanges };
}

const texts = (segments: readonly DocumentSegment[]) => segments.map(({ id, text }) => [id, text]);

it("reads what was saved, in time order", async () => {
  const { documents, id } = await openDocuments();
  expect(documents.has(id)).toBe(false);
  expect(() => documents.read(id)).toThrow(expect.objectContaining({ key: "not_found" }));
  const failed = [{ startSec: 8, endSec: 9, message: "Nothing could be transcribed." }];
  const saved = documents.save(id, { ...documentHeader, failed }, [
    transcribedSegment("later", 4),
    { ...transcribedSegment("sooner", 0), speaker: "Ann" },
  ]);
  expect(documents.read(id)).toEqual(saved);
  expect(saved).toEqual({
    ...documentHeader,
    failed,
    revision: 1,
    segments: [
      { ...transcribedSegment("sooner", 0), speaker: "Ann", id: 1 },
      { ...transcribedSegment("later", 4), id: 0 },
    ],
  });
});

it("appends segments during transcription, and continues after the last one", async () => {
  const { documents, id, documentChanges } = await openDocuments();
  documents.save(id, documentHeader);
  expect(texts(documents.appendSegments(id, transcribedSegments("one", "two")))).toEqual([
    [0, "one"],
    [1, "two"],
  ]);
  expect(documents.readHeader(id)).toMatchObject({
    revision: 1,
    processedSec: 3.5,
    segmentCount: 2,
  });
  expect(texts(documents.appendSegments(id, [transcribedSegment("three", 4)]))).toEqual([
    [2, "three"],
  ]);
  documents.setHeader(id, { language: "german", durationSec: 99 });
  expect(documents.read(id)).toMatchObject({
    revision: 1,
    language: "german",
    durationSec: 99,
    options: documentHeader.options,
  });
  expect(documentChanges).toEqual([]);
});

it("appends new segments while a person splits earlier ones", async () => {
  const { documents, id } = await openDocuments();
  documents.save(id, documentHeader, transcribedSegments("one two", "three"));
  const [first] = documents.read(id).segments as [DocumentSegment];
  documents.apply(id, {
    revision: 1,
    put: [
      { ...first, text: "one" },
      { ...first, id: firstEditedSegmentId, startSec: 0.75, text: "two" },
    ],
    remove: [],
  });
  documents.appendSegments(id, [transcribedSegment("four", 4)]);
  expect(texts(documents.read(id).segments)).toEqual([
    [0, "one"],
    [firstEditedSegmentId, "two"],
    [1, "three"],
    [2, "four"],
  ]);
});

it("applies an edit only to what it names, publishes it, and increments the revision", async () => {
  const { items, documents, id, documentChanges } = await openDocuments();
  const { segments } = documents.save(
    id,
    documentHeader,
    transcribedSegments("one", "two", "three"),
  );
  const edited = { ...(segments[1] as DocumentSegment), text: "zwei", words: [], isEdited: true };
  expect(documents.apply(id, { revision: 1, put: [edited], remove: [0] })).toBe(2);
  expect(documents.read(id)).toMatchObject({ revision: 2, segments: [edited, segments[2]] });
  expect(documentChanges).toEqual([[id, 2]]);
  expect(items.read(id).changedAtMs).toBe(5_000_000_000_000);
});

it("rejects an edit completely when another edit came first", async () => {
  const { documents, id } = await openDocuments();
  const { segments } = documents.save(id, documentHeader, transcribedSegments("one", "two"));
  const [one, two] = segments as [DocumentSegment, DocumentSegment];
  documents.apply(id, { revision: 1, put: [{ ...one, text: "first" }], remove: [] });
  expect(() =>
    documents.apply(id, { revision: 1, put: [{ ...two, text: "second" }], remove: [0] }),
  ).toThrow(expect.objectContaining({ key: "conflict" }));
  expect(texts(documents.read(id).segments)).toEqual([
    [0, "first"],
    [1, "two"],
  ]);
});

it("changes all of several transcripts or none", async () => {
  const { items, documents, id } = await openDocuments();
  const other = items.create({ kind: "transcript", title: "Other", source: "file" }).id;
  const [one] = documents.save(id, documentHeader, transcribedSegments("one")).segments as [
    DocumentSegment,
  ];
  documents.save(other, documentHeader, transcribedSegments("one"));
  const put = [{ ...one, text: "changed" }];
  expect(() =>
    documents.applyAll([
      { itemId: id, change: { revision: 1, put, remove: [] } },
      { itemId: other, change: { revision: 7, put, remove: [] } },
    ]),
  ).toThrow(expect.objectContaining({ key: "conflict" }));
  expect(
    [documents.read(id), documents.read(other)].map(({ revision, segments }) => [
      revision,
      segments[0]?.text,
    ]),
  ).toEqual([
    [1, "one"],
    [1, "one"],
  ]);
});

it("writes a constant number of rows for an edit, however long the transcript is", async () => {
  const { database, documents, id } = await openDocuments();
  const { segments } = documents.save(
    id,
    documentHeader,
    Array.from({ length: 3000 }, (_, at) => transcribedSegment(`segment number ${at}`, at * 2)),
  );
  const changes = () => Number(database.sqlite.prepare("SELECT total_changes() AS n").get()?.["n"]);
  const before = changes();
  documents.apply(id, {
    revision: 1,
    put: [{ ...(segments[1500] as DocumentSegment), text: "something else" }],
    remove: [],
  });
  // The segment, its words in the index (FTS5 stores those in a few rows of its own), the revision and the item's time.
  expect(changes() - before).toBeLessThan(20);
  expect(documents.read(id).segments[1500]?.text).toBe("something else");
});

it("replaces all earlier segments when saved again", async () => {
  const { database, documents, id } = await openDocuments();
  documents.save(id, documentHeader, transcribedSegments("one", "two"));
  expect(texts(documents.save(id, documentHeader, transcribedSegments("three")).segments)).toEqual([
    [0, "three"],
  ]);
  expect(documents.readHeader(id).revision).toBe(2);
  expect(database.sqlite.prepare("SELECT count(*) AS n FROM segment_words").get()).toMatchObject({
    n: 1,
  });
});

it("keeps what it reported as saved when its process is killed", async () => {
  const folder = await openTestFolder();
  const path = join(folder, "library.db");
  const main = pathToFileURL(join(import.meta.dirname, "..", "..", "..", "main")).href;
  const source = `
    import { openDatabase } from '${main}/storage/database.ts';
    import { createItems } from '${main}/library/items.ts';
    import { createDocuments } from '${main}/library/documents.ts';
    const database = openDatabase(process.argv[1]);
    const items = createItems(database, { dataDir: process.argv[2] });
    const documents = createDocuments(database);
    const { id } = items.create({ kind: 'transcript', title: 'Interview', source: 'recording', state: 'running' });
    documents.save(id, ${JSON.stringify(documentHeader)});
    const segment = ${JSON.stringify(transcribedSegment("word"))};
    for (let at = 0; ; at += 1) {
      const [appended] = documents.appendSegments(id, [{ ...segment, startSec: at, endSec: at + 1, text: 'transcribed ' + at }]);
      items.progress(id, at / 1000, 5);
      const edited = { ...appended, text: 'edited ' + at };
      if (at % 5 === 4) documents.apply(id, { revision: (at + 1) / 5, put: [edited], remove: [] });
      await new Promise((done) => process.stdout.write(id + ' ' + at + '\\n', done));
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source, path, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let id = "";
  let last = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    id = line.split(" ")[0] ?? "";
    last = Number(line.split(" ")[1]);
    if (last === 40) child.kill("SIGKILL");
  }
  const database = openTestLibrary(path);
  const items = createItems(database, { dataDir: folder });
  const document = createDocuments(database).read(id);
  expect(items.read(id)).toMatchObject({ title: "Interview", state: "running" });
  expect(last).toBeGreaterThanOrEqual(40);
  expect(document.segments.slice(0, last + 1).map(({ text }) => text)).toEqual(
    Array.from({ length: last + 1 }, (_, at) => `${at % 5 === 4 ? "edited" : "transcribed"} ${at}`),
  );
  expect(database.sqlite.prepare("PRAGMA integrity_check").get()).toEqual({
    integrity_check: "ok",
  });
});

it("keeps notes in time order, without a new revision, also when segments are edited", async () => {
  const { documents, id } = await openDocuments();
  documents.save(id, documentHeader, transcribedSegments("Ask not"));
  const [late, early] = [
    { id: "5b0d9c3e-7d7c-4f0e-9a53-0d6e5f3c2b1a", atSec: 9, text: "" },
    { id: "6b0d9c3e-7d7c-4f0e-9a53-0d6e5f3c2b1a", atSec: 2, text: "Who?" },
  ];
  expect(documents.changeNotes(id, { put: [late, early], remove: [] })).toEqual([early, late]);
  documents.apply(id, { revision: 1, put: [], remove: [0] });
  documents.changeNotes(id, { put: [{ ...late, text: "The end" }], remove: [early.id] });
  expect(documents.read(id)).toMatchObject({
    revision: 2,
    notes: [{ ...late, text: "The end" }],
  });
  expect(() => documents.changeNotes("nobody", { put: [late], remove: [] })).toThrow(
    expect.objectContaining({ key: "not_found" }),
  );
});

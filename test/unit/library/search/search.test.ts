import { describe, expect, it } from "vitest";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createNarrations } from "../../../../main/library/narrations.ts";
import { createSearch } from "../../../../main/library/search/search.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import { transcribedSegments, documentHeader } from "../../../support/transcripts.ts";

async function openLibrary() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documents = createDocuments(database);
  const narrations = createNarrations(database);
  const { search } = createSearch(database);
  return {
    items,
    documents,
    narrations,
    search,
    /** @returns the id of the item */
    transcript(title: string, ...texts: string[]): string {
      const { id } = items.create({ kind: "transcript", title, source: "file" });
      documents.save(id, documentHeader, transcribedSegments(...texts));
      return id;
    },
    narration(title: string, script: string): string {
      const { id } = items.create({ kind: "narration", title, source: "text" });
      narrations.create(id, { script, options: { model: "tts-1", voice: "nova", speed: 1 } });
      return id;
    },
    found: (typed: string) =>
      search(typed).map(({ snippet }) =>
        snippet.replaceAll("\u0001", "[").replaceAll("\u0002", "]"),
      ),
  };
}

describe("a search", () => {
  it("finds the position and shows the words around it", async () => {
    const { transcript, search } = await openLibrary();
    const id = transcript(
      "Speech",
      "And so, my fellow Americans",
      "ask not what your country can do for you",
    );
    expect(search("country")).toEqual([
      {
        itemId: id,
        title: "Speech",
        segmentId: 1,
        startSec: 2,
        snippet: "ask not what your \u0001country\u0002 can do for you",
      },
    ]);
  });

  it.each([
    ["the beginning of a word", "ameri", "my fellow [Americans]"],
    ["words in upper or lower case", "FELLOW", "my [fellow] Americans"],
    ["accented words without their accents", "cafe", "a [café] in Zürich"],
    ["words with accents they do not have", "fèllow", "my [fellow] Americans"],
    ["several words in any order", "zürich cafe", "a [café] in [Zürich]"],
    ["words with ß typed as ss", "strasse", "in der [Straße] ist es laut"],
    ["words with ss typed as ß", "daß", "[dass] es regnet"],
    ["a word with an apostrophe", "don’t", "we [don't] know"],
    ["a part of a Chinese line", "天氣", "今天[天氣]很好"],
    ["a part of a Thai line", "ภาษา", "ฉันพูด[ภาษา]ไทย"],
    ["words in quotes", '"fellow Americans"', "my [fellow Americans]"],
    ["words after an unclosed quote", '"fellow amer', undefined],
    ["words in quotes in another order", '"Americans fellow"', undefined],
    ["the beginning of a word in quotes", '"ameri"', undefined],
    ["the beginning of a Korean word", "바다", "[바다에] 갔다"],
    ["a Russian й, which is no accented и", "стеклянный мой", "[мой] [стеклянный] дом"],
    ["a Japanese word with sound marks", "ガラス", "[ガラス]の靴"],
    ["words of two segments", "fellow zürich", undefined],
    ["characters of the database's query syntax", "fellow AND NOT* ^ (", undefined],
    ["the name of a database column", "text:fellow", undefined],
    ["an empty text", "  ", undefined],
    ["punctuation alone", '"*"', undefined],
  ])("by %s", async (_, typed, snippet) => {
    const { transcript, found } = await openLibrary();
    transcript(
      "x",
      "my fellow Americans",
      "a café in Zürich",
      "in der Straße ist es laut",
      "dass es regnet",
      "we don't know",
      "今天天氣很好",
      "ฉันพูดภาษาไทย",
      "바다에 갔다",
      "ガラスの靴",
      "мой стеклянный дом",
    );
    expect(found(typed)).toEqual(snippet === undefined ? [] : [snippet]);
  });

  it("returns the best item first, and the matches of an item in time order", async () => {
    const { transcript, search } = await openLibrary();
    const mentioned = transcript(
      "One",
      "a long sentence that has the word whale somewhere in it",
      "nothing",
      "whale",
    );
    const named = transcript("The whale", "nothing of the kind");
    transcript("Other", "nothing at all");
    expect(
      search("whale").map(({ itemId, segmentId, startSec }) => [itemId, segmentId, startSec]),
    ).toEqual([
      [named, undefined, 0],
      [mentioned, 0, 0],
      [mentioned, 2, 4],
    ]);
  });

  it("finds what was edited, renamed or written, and no longer what was there before", async () => {
    const { items, documents, narrations, transcript, narration, search } = await openLibrary();
    const id = transcript("Before", "the old text");
    const book = narration("Book", "# One\n\nCall me Ishmael.");
    expect(search("ishmael").map(({ itemId, snippet }) => [itemId, snippet])).toEqual([
      [book, "# One Call me \u0001Ishmael\u0002."],
    ]);
    const [segment] = documents.read(id).segments as [DocumentSegment];
    documents.apply(id, { revision: 1, put: [{ ...segment, text: "a new text" }], remove: [] });
    items.change(id, { title: "After" });
    narrations.change(book, { ...narrations.read(book), script: "Call me Ahab." });
    items.change(book, { title: "Tale" });
    expect(["old", "before", "ishmael", "book"].flatMap(search)).toEqual([]);
    expect(["new", "after", "ahab", "tale"].map((typed) => search(typed)[0]?.itemId)).toEqual([
      id,
      id,
      book,
      book,
    ]);
  });

  it("excludes a removed item until it is restored", async () => {
    const { items, transcript, search } = await openLibrary();
    const id = transcript("Speech", "speech");
    items.remove(id);
    expect(search("speech")).toEqual([]);
    items.restore(id);
    expect(search("speech")).toHaveLength(2);
  });

  it("returns some matches of each of many items where there are too many", async () => {
    const { transcript, search } = await openLibrary();
    for (let n = 0; n < 60; n += 1)
      transcript(`Item ${n}`, ...Array.from({ length: 100 }, (_, at) => `the word ${at}`));
    const hits = search("the");
    expect(hits).toHaveLength(300);
    expect(new Set(hits.map(({ itemId }) => itemId)).size).toBe(15);
  });

  it("distinguishes its own markers from characters in the text", async () => {
    const { transcript, search } = await openLibrary();
    transcript("x", "<b>one</b> \u0001two\u0002");
    expect(search("two")[0]?.snippet).toBe("<b>one</b> \u0001two\u0002");
    expect(search("one")[0]?.snippet).toBe("<b>\u0001one\u0002</b> two");
  });
});

describe("the words of a long script", () => {
  it("are indexed by short writes, and found in whichever part they are", async () => {
    const database = openTestLibrary();
    const items = createItems(database, { dataDir: await openTestFolder() });
    const narrations = createNarrations(database);
    const { search } = createSearch(database);
    const { id } = items.create({ kind: "narration", title: "Long", source: "text" });
    const middle = "Rain fell all day, and nobody went out.\n\n".repeat(20_000);
    narrations.create(id, {
      script: `A walrus.\n\n${middle}A narwhal.`,
      options: { model: "tts-1", voice: "nova", speed: 1 },
    });
    const longest = (): number =>
      Math.max(
        ...database.sqlite
          .prepare("SELECT length(text) AS n FROM script_words")
          .all()
          .map(({ n }) => Number(n)),
      );
    expect(search("walrus narwhal").map(({ itemId }) => itemId)).toEqual([id]);
    expect(search("walrus elephant")).toEqual([]);
    expect(longest()).toBeLessThan(20_000);
    const parts = () => database.sqlite.prepare("SELECT place FROM script_parts").all().length;
    const before = parts();
    narrations.change(id, {
      ...narrations.read(id),
      script: `A walrus, again.\n\n${middle}A narwhal.`,
    });
    expect(search("walrus again")).toHaveLength(1);
    expect(Math.abs(parts() - before)).toBeLessThan(3);
  });
});

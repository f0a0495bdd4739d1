import { describe, expect, it } from "vitest";
import type { DocumentSegment } from "../../../../main/contract/transcript-document.ts";
import { createDocuments } from "../../../../main/library/documents.ts";
import { createItems } from "../../../../main/library/items.ts";
import { createFindReplace } from "../../../../main/library/search/find-replace.ts";
import { replaceTextRange } from "../../../../main/library/search/replace-text-range.ts";
import { createSearch } from "../../../../main/library/search/search.ts";
import { openTestLibrary } from "../../../support/library.ts";
import { openTestFolder } from "../../../support/test-data.ts";
import {
  transcribedSegments,
  documentHeader,
  transcribedSegment,
} from "../../../support/transcripts.ts";

async function openDocuments() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const documents = createDocuments(database);
  const transcript = (title: string, ...texts: string[]): string => {
    const { id } = items.create({ kind: "transcript", title, source: "file" });
    documents.save(id, documentHeader, transcribedSegments(...texts));
    return id;
  };
  return {
    items,
    documents,
    transcript,
    ...createFindReplace({ database, documents }),
    ...createSearch(database),
  };
}

const defaults = { isCaseSensitive: false, isPreview: false };

describe("find and replace", () => {
  it("previews the changes before it makes them", async () => {
    const { documents, transcript, replace } = await openDocuments();
    const id = transcript("Talk", "we use Hear say here", "nothing", "hear say, hear say");
    const matches = [
      {
        itemId: id,
        title: "Talk",
        segmentId: 0,
        before: "we use Hear say here",
        after: "we use Hearsay here",
      },
      {
        itemId: id,
        title: "Talk",
        segmentId: 2,
        before: "hear say, hear say",
        after: "Hearsay, Hearsay",
      },
    ];
    const replacement = { ...defaults, find: "hear say", replaceBy: "Hearsay" };
    expect(replace({ ...replacement, isPreview: true })).toEqual({ matches, isDone: false });
    expect(documents.read(id)).toMatchObject({
      revision: 1,
      segments: [{ isEdited: false }, {}, {}],
    });
    expect(replace(replacement)).toEqual({ matches, isDone: true });
    expect(documents.read(id)).toMatchObject({
      revision: 2,
      segments: [
        { text: "we use Hearsay here", isEdited: true },
        { text: "nothing", isEdited: false },
        { text: "Hearsay, Hearsay" },
      ],
    });
    expect(replace(replacement).matches).toEqual([]);
  });

  it("covers the whole library, newest first, without removed or excluded items", async () => {
    const { items, documents, transcript, replace, search } = await openDocuments();
    const [first, second, removed] = [
      transcript("a", "whale"),
      transcript("b", "a whale"),
      transcript("c", "whale"),
    ];
    items.remove(removed);
    expect(
      replace({
        ...defaults,
        find: "whale",
        replaceBy: "fish",
        isPreview: true,
        itemIds: [first, removed],
      }).matches.map(({ itemId }) => itemId),
    ).toEqual([first]);
    expect(
      replace({ ...defaults, find: "whale", replaceBy: "fish" }).matches.map(
        ({ itemId }) => itemId,
      ),
    ).toEqual([second, first]);
    expect(documents.read(removed).segments[0]?.text).toBe("whale");
    expect([search("whale").length, search("fish").length]).toEqual([0, 2]);
  });

  it.each([
    [
      "a search text with special characters of patterns",
      "a.b (c) 100%_\\",
      "a.b (c) 100%_\\",
      "x",
      "x",
    ],
    [
      "a replacement with special characters of patterns",
      "one two",
      "two",
      "$& $1 $'",
      "one $& $1 $'",
    ],
    ["upper and lower case in any language", "Über ÉTÉ", "über été", "x", "x"],
    ["characters that are surrogate pairs", "so 😀 it is", "😀 IT", ":)", "so :) is"],
    ["an empty replacement", "well, you know, yes", ", you know", "", "well, yes"],
  ])("handles %s", async (_, text, find, replaceBy, after) => {
    const { transcript, replace } = await openDocuments();
    transcript("x", text);
    expect(replace({ ...defaults, find, replaceBy }).matches.map((match) => match.after)).toEqual([
      after,
    ]);
  });

  it("distinguishes upper and lower case on request", async () => {
    const { transcript, replace } = await openDocuments();
    transcript("x", "May may");
    expect(
      replace({ ...defaults, find: "may", replaceBy: "might", isCaseSensitive: true }).matches.map(
        ({ after }) => after,
      ),
    ).toEqual(["May might"]);
  });

  it("rejects more matches than a person can review", async () => {
    const { transcript, replace } = await openDocuments();
    transcript("x", ...Array.from({ length: 5_001 }, () => "a"));
    expect(() => replace({ ...defaults, find: "a", replaceBy: "b" })).toThrow(
      expect.objectContaining({ key: "invalid_value", param: "find" }),
    );
  });
});

const segment = (text: string): DocumentSegment => ({ ...transcribedSegment(text), id: 0 });

const wordsAfter = (text: string, find: string, replaceBy: string) =>
  replaceTextRange(
    segment(text),
    text.indexOf(find),
    text.indexOf(find) + find.length,
    replaceBy,
  ).words.map(({ word, startSec, endSec, probability }) => [word, startSec, endSec, probability]);

describe("the words of a segment", () => {
  it.each([
    [
      "a word is replaced by another",
      "one two six",
      "two",
      "ten",
      [
        ["one", 0, 0.5, 0.9],
        ["ten", 0.5, 1, 1],
        ["six", 1, 1.5, 0.9],
      ],
    ],
    [
      "two words become one",
      "one two six",
      "one two",
      "ten",
      [
        ["ten", 0, 1, 1],
        ["six", 1, 1.5, 0.9],
      ],
    ],
    [
      "one word becomes two",
      "one two six",
      "two",
      "a b",
      [
        ["one", 0, 0.5, 0.9],
        ["a", 0.5, 0.75, 1],
        ["b", 0.75, 1, 1],
        ["six", 1, 1.5, 0.9],
      ],
    ],
    [
      "a part of a word is replaced",
      "one two, six",
      "wo",
      "en",
      [
        ["one", 0, 0.5, 0.9],
        ["ten,", 0.5, 1, 1],
        ["six", 1, 1.5, 0.9],
      ],
    ],
    [
      "a word gets a longer ending",
      "cat dog",
      "cat",
      "cats",
      [
        ["cats", 0, 0.75, 1],
        ["dog", 0.75, 1.5, 0.9],
      ],
    ],
    [
      "a word is removed",
      "one two six",
      " two",
      "",
      [
        ["one", 0, 0.5, 0.9],
        ["six", 1, 1.5, 0.9],
      ],
    ],
    ["all words are removed", "one", "one", "", []],
  ])("where %s, keep the times of the other words", (_, text, find, replaceBy, words) => {
    expect(wordsAfter(text, find, replaceBy)).toEqual(words);
  });

  it("are dropped where they do not match the text", () => {
    expect(
      replaceTextRange({ ...segment("one two"), text: "three four" }, 0, 5, "five"),
    ).toMatchObject({
      text: "five four",
      words: [],
      isEdited: true,
    });
  });
});

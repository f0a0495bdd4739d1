import { describe, expect, it } from "vitest";
import type { Item } from "../../../../../main/contract/library-item.ts";
import { hitLines, snippetParts } from "../../../../../renderer/features/library/hits.ts";
import { replacedParts } from "../../../../../renderer/features/library/replaced-parts.ts";
import {
  extendSelection,
  nothingSelected,
  toggleSelected,
  keepListed,
} from "../../../../../renderer/features/library/selection.ts";
import {
  beginsDay,
  channelsOf,
  languagesOf,
  parseTags,
  externalChannels,
  filterItems,
  tagsOf,
} from "../../../../../renderer/features/library/filter-items.ts";

const item = (id: string, fields: Partial<Item> = {}): Item => ({
  id,
  kind: "transcript",
  title: id,
  source: "file",
  createdAtMs: 0,
  changedAtMs: 0,
  durationSec: 1,
  sizeBytes: 1,
  state: "done",
  progress: 1,
  isPartial: false,
  language: "en",
  channels: ["local"],
  tags: [],
  hasMedia: true,
  ...fields,
});

const at = (day: number, hour: number) => ({
  createdAtMs: new Date(2026, 10, day, hour).getTime(),
});

describe("the listed items", () => {
  const items = [
    item("Part 10", { createdAtMs: 1, sizeBytes: 5, tags: ["b"] }),
    item("part 2", { createdAtMs: 3, durationSec: 9 }),
    item("Étude", { createdAtMs: 2, kind: "narration", tags: ["a", "b"] }),
  ];
  const ids = (...[filter]: [Partial<Parameters<typeof filterItems>[1]>]) =>
    filterItems(items, { view: "all", tag: "", order: "newest", ...filter }).map(({ id }) => id);

  it("match the chosen kind and tag", () => {
    expect(ids({ view: "narration" })).toEqual(["Étude"]);
    expect(ids({ tag: "b" })).toEqual(["Étude", "Part 10"]);
  });

  it("are in the chosen order, the newest first among equals", () => {
    expect(ids({})).toEqual(["part 2", "Étude", "Part 10"]);
    expect(ids({ order: "title" })).toEqual(["Étude", "part 2", "Part 10"]);
    expect(ids({ order: "longest" })).toEqual(["part 2", "Étude", "Part 10"]);
    expect(ids({ order: "largest" })).toEqual(["Part 10", "part 2", "Étude"]);
  });

  it("match the chosen language, channel and speaker", () => {
    const others = [
      item("german", { language: "de", channels: ["local", "Groq"] }),
      item("unknown", { language: "", channels: [] }),
      item("english"),
    ];
    const idsOf = (filter: Partial<Parameters<typeof filterItems>[1]>): string[] =>
      filterItems(others, { view: "all", tag: "", order: "newest", ...filter }).map(({ id }) => id);
    expect([languagesOf(others), channelsOf(others)]).toEqual([
      ["de", "en"],
      ["Groq", "local"],
    ]);
    expect(idsOf({ language: "de" })).toEqual(["german"]);
    expect(idsOf({ channel: "local" })).toEqual(["german", "english"]);
    expect(idsOf({ channel: "local", language: "en" })).toEqual(["english"]);
    expect(idsOf({ itemIds: new Set(["unknown", "gone"]) })).toEqual(["unknown"]);
  });

  it("are grouped by the day in local time", () => {
    const days = [at(23, 23), at(23, 0), at(22, 23), at(20, 1), at(20, 0)];
    expect(days.map((_, index) => beginsDay(days, index))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it("provide the list of all tags", () => {
    expect(tagsOf(items)).toEqual(["a", "b"]);
  });
});

it("parses tags as people type them", () => {
  expect(parseTags(" #interview, book ,, book,two words")).toEqual([
    "interview",
    "book",
    "two words",
  ]);
});

it("names the channels other than this machine that received the audio", () => {
  expect(externalChannels({ channels: ["local", "Groq"] })).toEqual(["Groq"]);
  expect(externalChannels({ channels: [] })).toEqual([]);
});

const hit = (itemId: string, startSec: number) => ({
  itemId,
  title: itemId.toUpperCase(),
  segmentId: startSec,
  startSec,
  snippet: "",
});

describe("search results", () => {
  it("highlight the matching word, and keep markup as text", () => {
    expect(snippetParts("…ask \u0001not\u0002 <b>what\u0001not\u0002")).toEqual([
      { text: "…ask ", isHit: false },
      { text: "not", isHit: true },
      { text: " <b>what", isHit: false },
      { text: "not", isHit: true },
    ]);
  });

  it("are grouped by their item", () => {
    expect(
      hitLines([hit("a", 1), hit("a", 2), hit("b", 0)]).map((line) =>
        line.kind === "item" ? `${line.title} ${line.count}` : line.hit.startSec,
      ),
    ).toEqual(["A 2", 1, 2, "B 1", 0]);
  });
});

const shown = (...given: Parameters<typeof replacedParts>) =>
  replacedParts(...given)
    .map(({ kind, text }) =>
      kind === "removed" ? `-${text}-` : kind === "added" ? `+${text}+` : text,
    )
    .join("");

describe("a replacement", () => {
  it("is shown at every match, with punctuation matched literally", () => {
    expect(shown("A. b a. b", "a.", "X", false)).toBe("-A.-+X+ b -a.-+X+ b");
    expect(shown("A. b a. b", "a.", "X", true)).toBe("A. b -a.-+X+ b");
    expect(shown("one two", " two", "", false)).toBe("one- two-");
  });
});

const selectedIds = ({ ids }: typeof nothingSelected) => [...ids].sort();

describe("a selection", () => {
  const listed = ["a", "b", "c", "d"];

  it("adds and removes single items, and extends ranges from the last one in both directions", () => {
    const one = toggleSelected(nothingSelected, "c");
    expect(selectedIds(extendSelection(one, listed, "a"))).toEqual(["a", "b", "c"]);
    expect(selectedIds(extendSelection(extendSelection(one, listed, "a"), listed, "d"))).toEqual(
      listed,
    );
    expect(selectedIds(toggleSelected(one, "c"))).toEqual([]);
    expect(selectedIds(extendSelection(nothingSelected, listed, "b"))).toEqual(["b"]);
  });

  it("starts no range from an item that is not listed, and drops items that are no longer listed", () => {
    const gone = toggleSelected(nothingSelected, "z");
    expect(selectedIds(extendSelection(gone, listed, "b"))).toEqual(["b", "z"]);
    expect(selectedIds(keepListed(toggleSelected(gone, "b"), new Set(listed)))).toEqual(["b"]);
    expect(keepListed(nothingSelected, new Set(listed))).toBe(nothingSelected);
  });
});

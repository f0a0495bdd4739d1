import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { createJsonTable } from "../../../main/text/json-table.ts";
import { readHibariData } from "../../support/hibari-g2p.ts";

/** Entries that differ. Calling `expect` for each of tens of thousands would take most of a minute. */
const differences = (get: (key: string) => unknown, entries: object) =>
  Object.entries(entries).filter(([key, value]) => !isDeepStrictEqual(get(key), value));

it("finds what JSON.parse finds, for every entry of a dictionary", () => {
  const json = readHibariData("lexicon_us_gold");
  const table = createJsonTable(json);
  expect(differences(table.get, JSON.parse(json) as object)).toEqual([]);
});

it("reads nested tables", () => {
  const json = readHibariData("tagger");
  const weights = createJsonTable(createJsonTable(json).readSource("weights") ?? "");
  const parsed = JSON.parse(json) as { weights: object };
  expect(differences(weights.get, parsed.weights)).toEqual([]);
});

it.each([
  "{}",
  " { } ",
  '{"a": 1}',
  '{"a":1,"a":2}',
  '{ "a" : [1, {"b": "c"}] , "b\\"\\\\" : "x,}\\"" , "\\u00e9": null, "": {"": []}, "ʌ": true\n}',
])("finds what JSON.parse finds in %s", (json) => {
  const table = createJsonTable(json);
  const parsed = JSON.parse(json) as Record<string, unknown>;
  for (const [key, value] of Object.entries(parsed)) expect(table.get(key)).toEqual(value);
  for (const key of ["b", "x", "constructor", "__proto__", "toString"])
    expect(table.get(key)).toEqual(undefined);
});

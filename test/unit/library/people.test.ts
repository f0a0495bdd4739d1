import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storedPerson } from "../../../main/contract/people.ts";
import { createPeople, type LearntVoice } from "../../../main/library/people.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const heard = (itemId: string, ...print: number[]): LearntVoice => ({
  itemId,
  title: `Talk ${itemId}`,
  speechSec: 10,
  print: Float32Array.from(print),
});

it("knows a person by all recordings that they were remembered from", () => {
  const people = createPeople(openTestLibrary(), () => 5);
  const ada = people.remember("Ada", heard("a", 1, 0));
  people.remember("Bob", heard("a", 0, 1));
  expect(people.remember("ada", { ...heard("b", 0, 1), speechSec: 30 })).toEqual({
    id: ada.id,
    name: "Ada",
    createdAtMs: 5,
    recordings: [
      { itemId: "a", title: "Talk a", learntAtMs: 5, speechSec: 10 },
      { itemId: "b", title: "Talk b", learntAtMs: 5, speechSec: 30 },
    ],
  });
  const [{ name = "", print = [] } = {}] = people.voices();
  expect([name, ...print]).toEqual(["Ada", 10, 30]);
  // Heard again: what was learnt from the same recording before does not count any more.
  people.remember("Ada", heard("a", 0, 1));
  expect([...(people.voices()[0]?.print ?? [])]).toEqual([0, 40]);
  people.forgetRecording(ada.id, "b");
  expect(people.list().map(({ recordings }) => recordings.length)).toEqual([1, 1]);
});

it("tells people apart by name, whatever the case", () => {
  const people = createPeople(openTestLibrary());
  const { id } = people.remember("Ada", heard("a", 1));
  people.remember("Bob", heard("a", 1));
  expect(() => people.rename(id, "BOB")).toThrow(expect.objectContaining({ key: "name_taken" }));
  expect(people.rename(id, "ADA").name).toBe("ADA");
  expect(() => people.rename("other", "Eve")).toThrow(
    expect.objectContaining({ key: "not_found" }),
  );
  expect(() => people.export("other")).toThrow(expect.objectContaining({ key: "not_found" }));
});

it("takes people from an archive, but none who are known", () => {
  const [from, to] = [createPeople(openTestLibrary()), createPeople(openTestLibrary())];
  from.remember("Ada", heard("a", 1, 0));
  from.remember("Bob", heard("a", 0, 1));
  to.remember("ada", heard("b", 1, 1));
  to.addAll(from.exportAll());
  expect(to.list().map(({ name }) => name)).toEqual(["ada", "Bob"]);
  expect(to.exportAll()[1]).toEqual(from.exportAll()[1]);
});

const recording = { itemId: "a", title: "Talk", learntAtMs: 1, speechSec: 5, print: [1] };
it.each<[string, object, boolean]>([
  ["nothing unusual", {}, true],
  ["a time that is no whole number", { createdAtMs: 1.5 }, false],
  ["no name", { name: " " }, false],
  ["an id that no address can have", { id: "a/b" }, false],
  ["a print too large to be stored", { recordings: [{ ...recording, print: [1e300] }] }, false],
  ["an empty print", { recordings: [{ ...recording, print: [] }] }, false],
  ["a print of zeros", { recordings: [{ ...recording, print: [0, 1e-300] }] }, false],
])("checks a person of an archive: %s", (_, fields, isValid) => {
  const person = { id: "1", name: "Ada", createdAtMs: 1, recordings: [recording], ...fields };
  expect(storedPerson.safeParse(person).success).toBe(isValid);
});

it("takes one of several people with the same id or name from an archive", () => {
  const to = createPeople(openTestLibrary());
  const person = { createdAtMs: 5, recordings: [] };
  to.addAll([
    { ...person, id: "1", name: "Ada" },
    { ...person, id: "1", name: "Bob" },
    { ...person, id: "2", name: "ADA" },
    { ...person, id: "3", name: "Eve" },
  ]);
  expect(to.list().map(({ name }) => name)).toEqual(["Ada", "Eve"]);
});

it("leaves nothing of a forgotten voice in the file", async () => {
  const path = join(await openTestFolder(), "library.sqlite");
  const database = openTestLibrary(path);
  const people = createPeople(database);
  const print = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i));
  const { id } = people.remember("Adelheid", { ...heard("a"), print });
  const isStored = (): boolean => {
    database.checkpoint();
    const bytes = readFileSync(path);
    return bytes.includes(Buffer.from(print.buffer)) || bytes.includes("Adelheid");
  };
  expect(isStored()).toBe(true);
  expect(people.remove(id)).toBe(true);
  expect(isStored()).toBe(false);
  expect(people.remove(id)).toBe(false);
  expect(people.voices()).toEqual([]);
});

import { expect, it } from "vitest";
import { createItems } from "../../../main/library/items.ts";
import { createNarrations, type StoredTake } from "../../../main/library/narrations.ts";
import { openTestLibrary } from "../../support/library.ts";
import { openTestFolder } from "../../support/test-data.ts";

const options = { model: "tts-1", voice: "nova", speed: 1 };

async function openNarrations() {
  const database = openTestLibrary();
  const items = createItems(database, { dataDir: await openTestFolder() });
  const narrations = createNarrations(database);
  const book = (script = ""): string => {
    const { id } = items.create({ kind: "narration", title: "Book", source: "text" });
    narrations.create(id, { script, options });
    return id;
  };
  return { items, narrations, book };
}

const take = (itemId: string, id: string, madeAtMs: number): StoredTake => ({
  id,
  itemId,
  sentenceId: "hello-1",
  content: "hello",
  durationSec: 1.5,
  madeAtMs,
  model: "tts-1",
  channel: "local",
});

it("stores a script, and rejects a change when another change came first", async () => {
  const { narrations, book } = await openNarrations();
  const id = book("One.");
  expect(narrations.read(id)).toEqual({ revision: 1, script: "One.", options });
  expect(
    narrations.change(id, { revision: 1, script: "Two.", options: { ...options, speed: 2 } }),
  ).toBe(2);
  expect(() => narrations.change(id, { revision: 1, script: "Three.", options })).toThrow(
    expect.objectContaining({ key: "conflict" }),
  );
  expect(narrations.read(id)).toEqual({
    revision: 2,
    script: "Two.",
    options: { ...options, speed: 2 },
  });
  expect(() => narrations.read("nothing")).toThrow(expect.objectContaining({ key: "not_found" }));
});

it("keeps all takes of a sentence, and finds the newest one with the same content in any narration", async () => {
  const { items, narrations, book } = await openNarrations();
  const [one, other] = [book(), book()];
  expect(narrations.findTake("hello")).toBeUndefined();
  const takes = [
    take(one, "a", 1),
    { ...take(one, "b", 2), spokenBy: "ef_dora" },
    take(other, "c", 3),
  ];
  takes.forEach(narrations.addTake);
  expect(narrations.takes(one)).toEqual(takes.slice(0, 2));
  expect(narrations.findTake("hello")).toEqual(takes[2]);
  items.remove(other);
  expect(narrations.findTake("hello")).toEqual(takes[1]);
});

it("stores the chosen take and the missed words independently", async () => {
  const { narrations, book } = await openNarrations();
  const id = book();
  narrations.setNote(id, "x", { chosenTake: "a" });
  narrations.setNote(id, "x", { missed: ["word"] });
  narrations.setNote(id, "y", { missed: [] });
  expect(narrations.notes(id)).toEqual(
    new Map([
      ["x", { chosenTake: "a", missed: ["word"] }],
      ["y", { missed: [] }],
    ]),
  );
  narrations.setNote(id, "x", { missed: undefined });
  expect(narrations.notes(id).get("x")).toEqual({ chosenTake: "a" });
});

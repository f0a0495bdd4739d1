import { expect, it } from "vitest";
import type { Item } from "../../../../../main/contract/library-item.ts";
import {
  maxRecent,
  queueItems,
} from "../../../../../renderer/features/transcribe/queue/queue-items.ts";
import { movedIds } from "../../../../../renderer/stores/transcription-queue.ts";

const item = (id: string, state: Item["state"]): Item => ({ id, state }) as Item;
const idsOf = (items: readonly Item[]): string[] => items.map(({ id }) => id);

it("lists what is at work, then what waits in its order, then recent items", () => {
  const items = [
    item("new", "waiting"),
    item("done", "done"),
    item("second", "waiting"),
    item("running", "running"),
    item("first", "waiting"),
    item("failed", "failed"),
  ];
  expect(idsOf(queueItems(items, ["first", "second"], undefined))).toEqual([
    "running",
    "first",
    "second",
    "new",
    "done",
    "failed",
  ]);
});

it("lists only recent items, and the open one", () => {
  const items = Array.from({ length: 500 }, (_, index) => item(`${index}`, "done"));
  expect(queueItems(items, [], undefined)).toHaveLength(maxRecent);
  expect(idsOf(queueItems(items, [], "400")).slice(-2)).toEqual([`${maxRecent - 1}`, "400"]);
});

it("moves an item of the queue by one place or to the top", () => {
  const ids = ["a", "b", "c"];
  expect(movedIds(ids, "c", "top")).toEqual(["c", "a", "b"]);
  expect(movedIds(ids, "c", "up")).toEqual(["a", "c", "b"]);
  expect(movedIds(ids, "a", "down")).toEqual(["b", "a", "c"]);
  expect(movedIds(ids, "a", "up")).toEqual(ids);
  expect(movedIds(ids, "c", "down")).toEqual(ids);
  expect(movedIds(ids, "x", "top")).toEqual(ids);
});

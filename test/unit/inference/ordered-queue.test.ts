import { expect, it } from "vitest";
import { createOrderedQueue } from "../../../main/inference/ordered-queue.ts";

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const taken: Value[] = [];
  for await (const value of values) taken.push(value);
  return taken;
}

/** Waits until all resolved promises have been processed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("returns values in the order in which they were added, whichever is ready first", async () => {
  const work = createOrderedQueue<number>(10);
  const promises = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  for (const { promise } of promises) void work.add(promise);
  work.end();
  const taken = all(work.values());
  for (const index of [3, 1, 4, 0, 2]) {
    promises[index]?.resolve(index);
    await settle();
  }
  expect(await taken).toEqual([0, 1, 2, 3, 4]);
});

it("returns each value as soon as the values before it are there", async () => {
  const work = createOrderedQueue<string>(10);
  const values = work.values();
  void work.add(Promise.resolve("first"));
  void work.add(new Promise(() => {}));
  expect(await values.next()).toEqual({ value: "first", done: false });
});

it("blocks the producer while too many values are waiting", async () => {
  const work = createOrderedQueue<number>(2);
  let added = 0;
  const producing = (async () => {
    for (let value = 0; value < 6; value += 1) {
      await work.add(Promise.resolve(value));
      added += 1;
    }
    work.end();
  })();
  await settle();
  // The third waits for a free place in the queue.
  expect(added).toBe(2);
  const values = work.values();
  await values.next();
  await settle();
  expect(added).toBe(2);
  await values.next();
  await settle();
  expect(added).toBe(3);
  expect(await all(values)).toEqual([2, 3, 4, 5]);
  await producing;
});

it("throws a rejected value in its turn, after the values before it", async () => {
  const work = createOrderedQueue<string>(10);
  const slow = Promise.withResolvers<string>();
  void work.add(slow.promise);
  void work.add(Promise.reject(new Error("broken")));
  void work.add(Promise.resolve("never seen"));
  work.end();
  const values = work.values();
  const first = values.next();
  await settle();
  slow.resolve("whole");
  expect(await first).toEqual({ value: "whole", done: false });
  await expect(values.next()).rejects.toThrow("broken");
  expect(await values.next()).toEqual({ value: undefined, done: true });
});

it("throws the producer's error after the values that it had added", async () => {
  const work = createOrderedQueue<string>(10);
  void work.add(Promise.resolve("one"));
  work.fail(new Error("no more"));
  const values = work.values();
  expect(await values.next()).toEqual({ value: "one", done: false });
  await expect(values.next()).rejects.toThrow("no more");
});

it("unblocks the producer when the consumer leaves", async () => {
  const work = createOrderedQueue<number>(1);
  let produced = 0;
  const producing = (async () => {
    for (; produced < 5; produced += 1) await work.add(Promise.resolve(produced));
  })();
  for await (const value of work.values()) if (value === 1) break;
  await producing;
  expect(produced).toBe(5);
});

it("ends at once where nothing was added", async () => {
  const work = createOrderedQueue<number>(1);
  const taken = all(work.values());
  work.end();
  expect(await taken).toEqual([]);
});

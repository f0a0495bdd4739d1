import { expect, it } from "vitest";
import { runToCompletion, runInSlices } from "../../../main/processes/time-slices.ts";
import { countTurns } from "../../support/event-loop.ts";

/** Steps that each take longer than a slice, and record the turn of the event loop in which they ran. */
function* longSteps(turnOf: () => number, into: number[]): Generator<undefined, string> {
  for (let step = 0; step < 5; step += 1) {
    const untilMs = performance.now() + 10;
    while (performance.now() < untilMs);
    into.push(turnOf());
    yield;
  }
  return "done";
}

it("runs concurrent tasks in turns of the event loop, one after the other", async () => {
  const counter = countTurns();
  const turns: number[][] = [[], [], []];
  const results = await Promise.all(turns.map((own) => runInSlices(longSteps(counter.turns, own))));
  counter.stop();
  expect(results).toEqual(["done", "done", "done"]);
  // The first step of each runs synchronously in its caller.
  const later = turns.flatMap((own) => own.slice(1));
  expect(later).toHaveLength(12);
  expect(new Set(later).size).toBe(12);
});

it("stops between two steps when aborted, and lets the other tasks continue", async () => {
  const stop = new AbortController();
  const done: number[] = [];
  const aborted = runInSlices(
    longSteps(() => 0, done),
    stop.signal,
  );
  const other = runInSlices(longSteps(() => 0, []));
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  expect(done).toHaveLength(1);
  expect(await other).toBe("done");
});

it("returns the same result when run synchronously", () => {
  const done: number[] = [];
  expect(runToCompletion(longSteps(() => 0, done))).toBe("done");
  expect(done).toHaveLength(5);
});

import { expect, it } from "vitest";
import { runToCompletion, runInSlices } from "../../../main/processes/time-slices.ts";
import { countTurns } from "../../support/event-loop.ts";

/** Steps of which each is longer than a slice; notes in which turn of the event loop it was done. */
function* longSteps(turnOf: () => number, into: number[]): Generator<undefined, string> {
  for (let step = 0; step < 5; step += 1) {
    const untilMs = performance.now() + 10;
    while (performance.now() < untilMs);
    into.push(turnOf());
    yield;
  }
  return "done";
}

it("works that are under way at once share the turns of the event loop", async () => {
  const counter = countTurns();
  const turns: number[][] = [[], [], []];
  const results = await Promise.all(turns.map((own) => runInSlices(longSteps(counter.turns, own))));
  counter.stop();
  expect(results).toEqual(["done", "done", "done"]);
  // The first step of each is done by whoever asks for it.
  const later = turns.flatMap((own) => own.slice(1));
  expect(later).toHaveLength(12);
  expect(new Set(later).size).toBe(12);
});

it("ends between two steps where it is aborted, and gives the turn to the others", async () => {
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

it("does the same at once", () => {
  const done: number[] = [];
  expect(runToCompletion(longSteps(() => 0, done))).toBe("done");
  expect(done).toHaveLength(5);
});

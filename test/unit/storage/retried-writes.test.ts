import { expect, it } from "vitest";
import { type StorageKey } from "../../../main/contract/errors.ts";
import { appError } from "../../support/app-error.ts";
import { createRetriedWrites } from "../../../main/storage/retried-writes.ts";
import { quietLog } from "../../support/app.ts";

const full = (): Error => Object.assign(new Error("no space"), { code: "ENOSPC" });

function patient() {
  const problems: (StorageKey | undefined)[] = [];
  return {
    problems,
    writes: createRetriedWrites({
      log: quietLog,
      onProblem: (trouble) => problems.push(trouble),
      firstRetryMs: 1,
    }),
  };
}

it("writes at once when the disk works", () => {
  const { writes, problems } = patient();
  let written = false;
  writes.runInBackground(() => (written = true));
  expect({ written, problems }).toEqual({ written: true, problems: [] });
});

it("retries until the disk works, and reports what it waits for", async () => {
  const { writes, problems } = patient();
  let failures = 4;
  const work = (): string => {
    if (failures-- > 0) throw full();
    return "kept";
  };
  const done = writes.run(work);
  expect(writes.problem()).toBe("storage_full");
  expect(await done).toBe("kept");
  expect({ problems, trouble: writes.problem() }).toEqual({
    problems: ["storage_full", undefined],
    trouble: undefined,
  });
});

it("throws errors at once that do not concern the disk", async () => {
  const { writes } = patient();
  await expect(
    writes.run(() => Promise.reject(appError("not_found", "gone"))),
  ).rejects.toMatchObject({ key: "not_found" });
  expect(() =>
    writes.runInBackground(() => {
      throw new Error("a mistake");
    }),
  ).not.toThrow();
});

it("stops waiting when the signal aborts, and tries one last time when the app closes", async () => {
  const { writes } = patient();
  const stop = new AbortController();
  const stopped = writes.run(() => Promise.reject(full()), stop.signal);
  stop.abort(new Error("cancelled"));
  await expect(stopped).rejects.toThrow("cancelled");
  let hasRoom = false;
  const last = writes.run(() => (hasRoom ? "kept" : Promise.reject(full())));
  const lost = writes.run(() => Promise.reject(full()));
  hasRoom = true;
  writes.close();
  expect(await last).toBe("kept");
  await expect(lost).rejects.toMatchObject({ key: "closing" });
});

it("fails a request that waits for work blocked by the disk, while the work continues", async () => {
  const { writes } = patient();
  let isFull = true;
  const work = writes.withLabel("item", async () => {
    await Promise.resolve();
    return writes.run(() => (isFull ? Promise.reject(full()) : "kept"));
  });
  await expect(writes.orStorageFailure("item", work)).rejects.toMatchObject({
    key: "storage_full",
  });
  isFull = false;
  expect(await work).toBe("kept");
});

it("fails no request because of other work, nor because of writes in the background", async () => {
  const { writes } = patient();
  let isFull = true;
  const write = (): string | Promise<string> => (isFull ? Promise.reject(full()) : "kept");
  const other = writes.withLabel("other", () => writes.run(write));
  const done = Promise.withResolvers<string>();
  const work = writes.withLabel("item", () => {
    writes.runInBackground(write);
    return done.promise;
  });
  const outcome = writes.orStorageFailure("item", work);
  await expect(writes.orStorageFailure("other", other)).rejects.toMatchObject({
    key: "storage_full",
  });
  done.resolve("ended");
  expect(await outcome).toBe("ended");
  isFull = false;
  await other;
});

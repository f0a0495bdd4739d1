import { expect, it, vi } from "vitest";
import type { Pool } from "../../../../main/engines/pool/pool.ts";
import { watchPoolUse } from "../../../../main/engines/pool/pool-use.ts";
import type { TaskInput } from "../../../../main/engines/pool/protocol.ts";
import { neverAborted } from "../../../support/app.ts";

const step: TaskInput<"segment.step"> = { session: "one", windowSec: 1 };

function open(quietMs: number) {
  const task = Promise.withResolvers<never>();
  const run = () => task.promise;
  const pool = watchPoolUse(
    { job: () => ({ run, pin: () => ({ session: "one", run, release() {} }) }) } as unknown as Pool,
    quietMs,
  );
  return { pool, job: pool.job(neverAborted()), ...task };
}

it.each(["own", "pinned"])("is used while an %s task runs, and then for a moment", async (kind) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { pool, job, reject } = open(2);
    const onUse = vi.fn<() => void>();
    const unsubscribe = pool.onUse(onUse);
    await pool.untilQuiet(neverAborted());
    const task = (kind === "own" ? job : job.pin()).run("segment.step", step);
    expect(onUse).toHaveBeenCalledOnce();
    await expect(pool.untilQuiet(AbortSignal.timeout(5))).rejects.toThrow(/abort/);
    reject(new Error("failed"));
    await expect(task).rejects.toThrow("failed");
    await expect(pool.untilQuiet(AbortSignal.timeout(5))).rejects.toThrow(/abort/);
    vi.advanceTimersByTime(2);
    await pool.untilQuiet(neverAborted());
    unsubscribe();
    void job.run("segment.step", step).catch(() => {});
    expect(onUse).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

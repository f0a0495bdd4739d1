// A scripted pool; see test/unit/wiring/engines.test.ts for processes.

import { expect, it } from "vitest";
import { AppError } from "../../../../main/contract/errors.ts";
import type { InstalledModel } from "../../../../main/contract/models.ts";
import { withCpuFallback } from "../../../../main/engines/pool/cpu-fallback.ts";
import type { Pool } from "../../../../main/engines/pool/pool.ts";
import { taskModel } from "../../../../main/engines/pool/task-model.ts";
import type { TaskInput, TaskName } from "../../../../main/engines/pool/protocol.ts";
import { shippedModel } from "../../../../main/models/shipped-models.ts";
import { neverAborted } from "../../../support/app.ts";

const hibari = shippedModel("hibari");
const measuredAt = (sec: number, provider = "cuda"): InstalledModel => ({
  ...hibari,
  provider,
  measured: { measuredAt: sec, provider },
});

const phonemes = (model: InstalledModel) => ({ model, lines: [] });

/** @param failures error of each provider that fails */
function open(failures: Readonly<Record<string, AppError>>) {
  const tried: (string | undefined)[] = [];
  const reports: string[] = [];
  const run = async (_: TaskName, input: TaskInput<TaskName>): Promise<never> => {
    const provider = taskModel(input)?.provider;
    tried.push(provider);
    const failure = failures[provider ?? "cpu"];
    if (failure !== undefined) throw failure;
    return provider as never;
  };
  const pool = {
    job: () => ({ run, pin: () => ({ session: "one", run, release() {} }) }),
  } as unknown as Pool;
  const job = withCpuFallback(pool, ({ provider }, { id }) =>
    reports.push(`${provider} ${id}`),
  ).job(neverAborted());
  return {
    tried,
    reports,
    run: (model: InstalledModel) => job.run("phonemes", phonemes(model)),
    runPinned: (model: InstalledModel) => job.pin().run("phonemes", phonemes(model)),
  };
}

const partFailed = new AppError("engine.partFailed");
const damaged = new AppError("model.damaged", { file: "model.onnx", model: hibari.id });

it.each(["run", "runPinned"] as const)(
  "runs a task on the CPU if the provider fails, then all others, until the next measurement (%s)",
  async (method) => {
    const pool = open({ cuda: partFailed });
    expect(await pool[method](measuredAt(1))).toBe("cpu");
    expect(await pool[method](measuredAt(1))).toBe("cpu");
    expect(pool.tried).toEqual(["cuda", "cpu", "cpu"]);
    expect(pool.reports).toEqual(["cuda engine.partFailed"]);
    await pool[method](measuredAt(2));
    expect(pool.tried.slice(3)).toEqual(["cuda", "cpu"]);
  },
);

it("does not blame the provider for what fails on the CPU, too", async () => {
  const pool = open({ cuda: partFailed, cpu: damaged });
  await expect(pool.run(measuredAt(1))).rejects.toBe(damaged);
  expect(pool.reports).toEqual([]);
});

it.each([
  ["an error that no provider makes", { cuda: damaged }, measuredAt(1)],
  ["a failure of the CPU", { cpu: partFailed }, measuredAt(1, "cpu")],
  ["a failure of a model that was not measured", { cpu: partFailed }, hibari],
])("does not repeat %s", async (_, failures: Readonly<Record<string, AppError>>, model) => {
  const pool = open(failures);
  await expect(pool.run(model)).rejects.toBe(Object.values(failures)[0]);
  expect(pool.tried).toHaveLength(1);
});

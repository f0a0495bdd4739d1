// How the processes of a trial are set up. With scripted processes.

import { expect, it, onTestFinished } from "vitest";
import type { ToChild } from "../../../main/engines/pool/protocol.ts";
import { createModelStore } from "../../../main/models/model-store.ts";
import { shippedModel } from "../../../main/models/shipped-models.ts";
import type { WiredEngines } from "../../../main/wiring/engines.ts";
import type { Foundation } from "../../../main/wiring/foundation.ts";
import { wireModelTrials } from "../../../main/wiring/model-trials.ts";
import type { WiredModels } from "../../../main/wiring/models.ts";
import { createLauncher, quietLog, scriptedModule } from "../../support/app.ts";
import { openTestFolder } from "../../support/test-data.ts";

it("gives a large model as many threads in its trial as in use", async () => {
  const dataDir = await openTestFolder();
  const launch = createLauncher(scriptedModule, dataDir);
  const threads = Promise.withResolvers<number>();
  const launchChild = () => {
    const port = launch();
    return {
      ...port,
      send(raw: unknown) {
        const message = raw as ToChild;
        if (message.type === "setup") threads.resolve(message.setup.largeModelThreads);
        port.send(raw);
      },
    };
  };
  const trials = wireModelTrials(
    {
      platform: { dataDir, launchChild },
      temp: { path: () => dataDir },
      log: quietLog,
    } as unknown as Foundation,
    { workers: 3, idleMs: 60_000, memoryMb: 0 },
    { store: createModelStore({ dataDir, log: quietLog }) } as unknown as WiredModels,
    {
      pool: { untilQuiet: () => Promise.resolve(), onUse: () => () => {} },
      supportDir: dataDir,
      vad: shippedModel("silero-vad"),
    } as unknown as WiredEngines,
  );
  onTestFinished(() => trials.close());
  const stop = new AbortController();
  const trial = trials.run("moonshine-base", stop.signal);
  expect(await threads.promise).toBe(3);
  stop.abort(new Error("seen enough"));
  await expect(trial).rejects.toThrow("seen enough");
});

// A process with only a pool, to be killed: one of its engine processes is in a call that never ends, two are idle.

import { tmpdir } from "node:os";
import { createPool } from "../../main/engines/pool/pool.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { createLauncher, neverAborted, quietLog, scriptedModule } from "./app.ts";

const pool = createPool(
  createLauncher(scriptedModule, tmpdir()),
  { size: 3, idleMs: 600_000, taskTimeoutMs: 600_000 },
  quietLog,
);
const runTask = (...lines: string[]): Promise<string[]> =>
  pool.job(neverAborted()).run("phonemes", { model: shippedModel("hibari"), lines });

// Repeats until all three processes have started, however slow the machine is.
let ids: number[] = [];
while (ids.length < 3) {
  await Promise.all(Array.from({ length: 3 }, () => runTask("spin", "500")));
  ids = pool.pids();
}
const engineIds = new Set(ids);
const [first] = await runTask("pid");
void runTask("block").catch(() => {});
const others = [...engineIds].filter((pid) => String(pid) !== first);
process.send?.({ blocked: Number(first), idle: others[0], stopped: others[1] });

// A data folder that rejects writes for a while: disk full, read-only, too many open files, library busy. Once at every
// place of the sources that writes, by injected faults; then one real case of each.

import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Row } from "../../support/report.ts";
import { shellEnv } from "../../support/command-line.ts";
import type { EndureContext, EndurePart } from "../part.ts";
import { startAppProcess } from "../storage/app-process.ts";
import { type FaultKind, faultKinds, sitePrefix, writePlan } from "../storage/faults.ts";
import { realCases } from "../storage/real-cases.ts";
import { runSession } from "../storage/session.ts";

const key = "hs-endurance-storage";
const appModule = join(import.meta.dirname, "..", "storage", "faulty-app.ts");
const windowMs = { full: 2_000, short: 150 };
/**
 * Minimum number of such places that the session reaches. Fewer mean that the session no longer covers its operations.
 */
const minSites = { file: 25, database: 12 };

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const rows: Row[] = [];
    // The short form uses the two kinds that differ most.
    const kinds: readonly FaultKind[] = context.isShort ? ["full", "busy"] : faultKinds;
    // Run concurrently, because they mostly wait.
    for (const group of context.isShort ? kinds.map((kind) => [kind]) : [kinds])
      rows.push(...(await Promise.all(group.map((kind) => runWithFaults(kind, context)))).flat());
    rows.push(...(await realCases(context)));
    return rows;
  },
};

async function runWithFaults(
  kind: FaultKind,
  { scratchDir, isShort, log }: EndureContext,
): Promise<Row[]> {
  const faultDir = join(scratchDir, `faults-${kind}`);
  const dataDir = join(scratchDir, `data-${kind}`);
  await Promise.all([faultDir, dataDir].map((path) => mkdir(path, { recursive: true })));
  const app = await startAppProcess(
    process.execPath,
    [appModule, dataDir, key],
    { ...shellEnv(dataDir), TMPDIR: faultDir },
    key,
  );
  writePlan(faultDir, { kind, windowMs: isShort ? windowMs.short : windowMs.full });
  let missing: string[] = [];
  try {
    missing = await runSession(app);
  } catch (error) {
    missing = [(error as Error).message];
  }
  const isStillRunning = app.isAlive();
  const unhandled = app
    .stderr()
    .split("\n")
    .filter((line) => line.includes("UNHANDLED")).length;
  await app.close();
  const sites = (await readdir(faultDir)).filter((name) => name.startsWith(sitePrefix));
  for (const what of [...missing, ...app.unexpectedResponses])
    log(`${kind}: missing or wrong: ${what}`);
  if (!isStillRunning) log(app.stderr().slice(-3000));
  log(
    `${kind}: ${sites.length} places: ${sites
      .map((site) => site.slice(sitePrefix.length))
      .sort()
      .join("; ")}`,
  );
  const row = (what: string, value: number, goal: Row["goal"], note?: string): Row => ({
    area: `storage ${kind}`,
    what,
    value,
    unit: "",
    ...(goal === undefined ? {} : { goal }),
    ...(note === undefined ? {} : { note }),
  });
  return [
    row("places that write, each refused once", sites.length, {
      min: kind === "busy" ? minSites.database : minSites.file,
    }),
    row("ends of the process", isStillRunning ? 0 : 1, { max: 0 }),
    row("rejections nobody handled", unhandled, { max: 0 }),
    row(
      "answers other than success, 503 and 507",
      app.unexpectedResponses.length,
      { max: 0 },
      app.unexpectedResponses[0]?.slice(0, 100),
    ),
    row(
      "acknowledged and missing, or not gone on with",
      missing.length,
      { max: 0 },
      missing[0]?.slice(0, 100),
    ),
  ];
}

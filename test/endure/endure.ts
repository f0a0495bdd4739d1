// npm run endure: stress-tests the whole app for minutes or hours and compares the results with limits (gates). `--
// --only soak,storage` selects parts, `--minutes 60` sets the duration of each part, `--seed 7` repeats a run with its
// printed seed. The exit status is 1 if a gate is missed.

import { parseArgs } from "node:util";
import { randomInt } from "node:crypto";
import { report, type Results, type Row, logProgress } from "../support/report.ts";
import type { EndurePart } from "./part.ts";
import { runPart } from "./run-part.ts";

/** Each is a file in `parts/` that exports `part`. */
const partNames = [
  "soak",
  "responsiveness",
  "kill",
  "storage",
  "children",
  "media",
  "documents",
  "overload",
  "providers",
  "instances",
  "browser",
];

const { values } = parseArgs({
  options: {
    only: { type: "string", default: partNames.join(",") },
    minutes: { type: "string" },
    seed: { type: "string" },
  },
});
const selected = values.only.split(",").map((name) => name.trim());
const unknown = selected.filter((name) => !partNames.includes(name));
if (unknown.length > 0)
  throw new Error(`--only takes ${partNames.join(", ")}, not ${unknown.join(", ")}`);
const seed = readNumber("seed", values.seed) ?? randomInt(2 ** 31);
const minutes = readNumber("minutes", values.minutes);

logProgress(`seed ${seed}`);
const results: Results = { rows: [], raw: { seed } };
for (const name of selected) {
  const { part } = (await import(`./parts/${name}.ts`)) as { part: EndurePart };
  const startMs = performance.now();
  const partMinutes = minutes ?? part.defaultMinutes;
  logProgress(`${name} …`);
  const toFailureRow = (error: unknown): Row[] => {
    logProgress(`  ${name}: ${(error as Error).stack}`);
    return [
      {
        area: name,
        what: "ended with an error",
        value: 1,
        unit: "",
        goal: { max: 0 },
        note: (error as Error).message.slice(0, 100),
      },
    ];
  };
  results.rows.push(
    ...(await runPart(part, {
      seed,
      minutes: partMinutes,
      isShort: false,
      log: (text) => logProgress(`  ${name}: ${text}`),
    }).catch(toFailureRow)),
  );
  results.raw[`${name}Minutes`] = (performance.now() - startMs) / 60_000;
}
const { missedCount } = report(`Endurance, seed ${seed}`, "endure-results", results);
process.exit(missedCount === 0 ? 0 : 1);

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(value))
    throw new Error(`--${name} takes a number, not '${text}'`);
  return value;
}

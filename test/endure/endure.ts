// npm run endure: ill-treats the whole app for minutes or hours and holds what it sees against gates. A printed seed
// repeats a run. `-- --only soak,storage` takes some of the parts, `--minutes 60` gives each of them so long, `--seed 7`
// repeats; the exit status is 1 where a gate is missed.

import { parseArgs } from "node:util";
import { randomInt } from "node:crypto";
import { report, type Results, type Row, tell } from "../support/report.ts";
import type { EndurePart } from "./part.ts";
import { runPart } from "./run-part.ts";

/** One file each in `parts/`, which exports it as `part`. */
const names = [
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
    only: { type: "string", default: names.join(",") },
    minutes: { type: "string" },
    seed: { type: "string" },
  },
});
const wanted = values.only.split(",").map((name) => name.trim());
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`--only takes ${names.join(", ")}, not ${unknown.join(", ")}`);
const seed = readNumber("seed", values.seed) ?? randomInt(2 ** 31);
const minutes = readNumber("minutes", values.minutes);

tell(`seed ${seed}`);
const all: Results = { rows: [], raw: { seed } };
for (const name of wanted) {
  const { part } = (await import(`./parts/${name}.ts`)) as { part: EndurePart };
  const startMs = performance.now();
  const share = minutes ?? part.defaultMinutes;
  tell(`${name} …`);
  const failed = (error: unknown): Row[] => {
    tell(`  ${name}: ${(error as Error).stack}`);
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
  all.rows.push(
    ...(await runPart(part, {
      seed,
      minutes: share,
      isShort: false,
      log: (text) => tell(`  ${name}: ${text}`),
    }).catch(failed)),
  );
  all.raw[`${name}Minutes`] = (performance.now() - startMs) / 60_000;
}
const { missed } = report(`Endurance, seed ${seed}`, "endure-results", all);
process.exit(missed === 0 ? 0 : 1);

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(value))
    throw new Error(`--${name} takes a number, not '${text}'`);
  return value;
}

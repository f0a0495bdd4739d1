// npm run eval: how well the app hears and how well it is understood, as error rates over all of its own models.
// `-- --only hear,languages,voices,phonemes` takes a part of it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type AppHere, appHere } from "./app-here.ts";
import { evaluateHearing } from "./hear-eval.ts";
import { evaluateLanguages } from "./languages-eval.ts";
import { type Results, report } from "../support/report.ts";
import { evaluatePhonemes, evaluateRoundTrip } from "./speak-eval.ts";

const parts: Readonly<Record<string, (here: AppHere, scratchDir: string) => Promise<Results>>> = {
  hear: evaluateHearing,
  languages: evaluateLanguages,
  voices: evaluateRoundTrip,
  phonemes: evaluatePhonemes,
};

const { values } = parseArgs({
  options: { only: { type: "string", default: Object.keys(parts).join(",") } },
});
const wanted = values.only.split(",").map((name) => name.trim());
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`--only takes ${Object.keys(parts).join(", ")}, not ${unknown.join(", ")}`);

const scratchDir = mkdtempSync(join(tmpdir(), "hearsay-eval-"));
const here = await appHere();
const all: Results = { rows: [], raw: {} };
try {
  for (const name of wanted) {
    const { rows, raw } = (await parts[name]?.(here, scratchDir)) ?? { rows: [], raw: {} };
    all.rows.push(...rows);
    Object.assign(all.raw, raw);
  }
} finally {
  await here.close();
  rmSync(scratchDir, { recursive: true, force: true });
}
report("Error rates", "eval-results", all);

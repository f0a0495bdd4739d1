// npm run bench: what the app costs on top of its engines and how it compares with others, as ratios of runs made
// in turns on the same machine. `-- --only hear,german,detection,clip,speak,models,channels` takes a part of it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchChannels } from "./channels-bench.ts";
import { benchClip } from "./clip-bench.ts";
import { benchDetection, benchGerman } from "./languages-bench.ts";
import { benchHearing } from "./hear-bench.ts";
import { benchModels } from "./models-bench.ts";
import { type Results, report, tell } from "../support/report.ts";
import { type ServedApp, serveApp } from "./served-app.ts";
import { benchSpeaking } from "./speak-bench.ts";

const parts: Readonly<Record<string, (app: ServedApp, scratchDir: string) => Promise<Results>>> = {
  hear: benchHearing,
  german: benchGerman,
  detection: benchDetection,
  clip: benchClip,
  speak: benchSpeaking,
  models: benchModels,
  channels: benchChannels,
};

const { values } = parseArgs({
  options: { only: { type: "string", default: Object.keys(parts).join(",") } },
});
const wanted = values.only.split(",").map((name) => name.trim());
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`--only takes ${Object.keys(parts).join(", ")}, not ${unknown.join(", ")}`);

const scratchDir = mkdtempSync(join(tmpdir(), "hearsay-bench-"));
const all: Results = { rows: [], raw: {} };
try {
  for (const name of wanted) {
    tell(`${name} …`);
    // A server of its own for each part: none is warmed by another.
    const app = await serveApp();
    try {
      const { rows, raw } = (await parts[name]?.(app, scratchDir)) ?? { rows: [], raw: {} };
      all.rows.push(...rows);
      Object.assign(all.raw, raw);
    } finally {
      await app.close();
    }
  }
} finally {
  rmSync(scratchDir, { recursive: true, force: true });
}
report(
  "Ratios within one run; nothing here depends on how fast the machine is, all of it on how idle.",
  "bench-results",
  all,
);

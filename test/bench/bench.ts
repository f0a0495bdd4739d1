// npm run bench: the app's overhead over its engines, and comparisons with other software, as ratios of runs that
// alternate on the same machine. `-- --only transcribe,german` selects parts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchChannels } from "./channels-bench.ts";
import { benchClip } from "./clip-bench.ts";
import { benchDetection, benchGerman, benchSpanish } from "./languages-bench.ts";
import { benchLive } from "./live-bench.ts";
import { benchTranscription } from "./transcription-bench.ts";
import { benchModels } from "./models-bench.ts";
import { benchModelsMemory } from "./models-memory-bench.ts";
import { type Results, report, logProgress } from "../support/report.ts";
import { type ServedApp, serveApp } from "./served-app.ts";
import { benchSpeakers } from "./speakers-bench.ts";
import { benchSynthesis } from "./synthesis-bench.ts";

const benchmarks: Readonly<
  Record<string, (app: ServedApp, scratchDir: string) => Promise<Results>>
> = {
  transcribe: benchTranscription,
  german: benchGerman,
  spanish: benchSpanish,
  detection: benchDetection,
  clip: benchClip,
  live: benchLive,
  speakers: benchSpeakers,
  speak: benchSynthesis,
  models: benchModels,
  "models-memory": benchModelsMemory,
  channels: benchChannels,
};

const { values } = parseArgs({
  options: { only: { type: "string", default: Object.keys(benchmarks).join(",") } },
});
const selected = values.only.split(",").map((name) => name.trim());
const unknown = selected.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0)
  throw new Error(`--only takes ${Object.keys(benchmarks).join(", ")}, not ${unknown.join(", ")}`);

const scratchDir = mkdtempSync(join(tmpdir(), "hearsay-bench-"));
const results: Results = { rows: [], raw: {} };
try {
  for (const name of selected) {
    logProgress(`${name} …`);
    // A new server for each part, so that none profits from another's warm-up.
    const app = await serveApp();
    try {
      const { rows, raw } = (await benchmarks[name]?.(app, scratchDir)) ?? { rows: [], raw: {} };
      results.rows.push(...rows);
      Object.assign(results.raw, raw);
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
  results,
);

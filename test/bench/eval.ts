// npm run eval: transcription accuracy and speech intelligibility of all of the app's own models, as error rates. `--
// --only transcribe,languages,speakers,hibari,voices,phonemes` selects parts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type InProcessApp, openInProcessApp } from "./in-process-app.ts";
import { evaluateTranscription } from "./transcription-eval.ts";
import { evaluateLanguages } from "./languages-eval.ts";
import { evaluateSpeakers } from "./speakers-eval.ts";
import { type Results, report } from "../support/report.ts";
import { evaluatePhonemes, evaluateRoundTrip } from "./synthesis-eval.ts";
import { evaluateVoices } from "./voices-eval.ts";

const evaluations: Readonly<
  Record<string, (app: InProcessApp, scratchDir: string) => Promise<Results>>
> = {
  transcribe: evaluateTranscription,
  languages: evaluateLanguages,
  speakers: evaluateSpeakers,
  hibari: evaluateRoundTrip,
  voices: evaluateVoices,
  phonemes: evaluatePhonemes,
};

const { values } = parseArgs({
  options: { only: { type: "string", default: Object.keys(evaluations).join(",") } },
});
const selected = values.only.split(",").map((name) => name.trim());
const unknown = selected.filter((name) => !Object.hasOwn(evaluations, name));
if (unknown.length > 0)
  throw new Error(`--only takes ${Object.keys(evaluations).join(", ")}, not ${unknown.join(", ")}`);

const scratchDir = mkdtempSync(join(tmpdir(), "hearsay-eval-"));
const app = await openInProcessApp();
const results: Results = { rows: [], raw: {} };
try {
  for (const name of selected) {
    const { rows, raw } = (await evaluations[name]?.(app, scratchDir)) ?? { rows: [], raw: {} };
    results.rows.push(...rows);
    Object.assign(results.raw, raw);
  }
} finally {
  await app.close();
  rmSync(scratchDir, { recursive: true, force: true });
}
report("Error rates", "eval-results", results);

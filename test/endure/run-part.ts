// Runs one part of the endurance suite in a new folder, for the whole suite or as a short test.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../main/engines/stt/decoder-step.ts";
import type { Row } from "../support/report.ts";
import type { EndurePart } from "./part.ts";

export type RunOptions = {
  seed: number;
  minutes: number;
  isShort: boolean;
  log(text: string): void;
};

export async function runPart(part: EndurePart, { seed, ...options }: RunOptions): Promise<Row[]> {
  const scratchDir = await mkdtemp(join(tmpdir(), "hearsay-endure-"));
  try {
    return await part.run({ ...options, random: seededRandom(seed), scratchDir });
  } finally {
    await rm(scratchDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

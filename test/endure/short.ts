// The short form of an endurance part as a test: every measured gate must be met.

import { expect } from "vitest";
import { isMet } from "../support/report.ts";
import type { EndurePart } from "./part.ts";
import { runPart } from "./run-part.ts";

/** The same seed in every test run. */
const testSeed = 20_261_122;

/** @throws if a gate is missed, or if nothing could be measured */
export async function expectGatesMet(part: EndurePart): Promise<void> {
  const rows = await runPart(part, { seed: testSeed, minutes: 0.1, isShort: true, log: () => {} });
  expect(rows.filter((row) => isMet(row) === false)).toEqual([]);
  expect(
    rows.some((row) => isMet(row) === true),
    "at least one gate was measured",
  ).toBe(true);
}

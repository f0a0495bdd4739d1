// The short form of an endurance part as a test: every gate that could be measured must be met.

import { expect } from "vitest";
import { isMet } from "../support/report.ts";
import type { EndurePart } from "./part.ts";
import { runPart } from "./run-part.ts";

/** A seed that is the same in every run of the tests. */
const testSeed = 20_261_122;

/** @throws where a gate is missed, or where nothing could be measured at all */
export async function expectGatesMet(part: EndurePart): Promise<void> {
  const rows = await runPart(part, { seed: testSeed, minutes: 0.1, isShort: true, log: () => {} });
  expect(rows.filter((row) => isMet(row) === false)).toEqual([]);
  expect(
    rows.some((row) => isMet(row) === true),
    "at least one gate was measured",
  ).toBe(true);
}

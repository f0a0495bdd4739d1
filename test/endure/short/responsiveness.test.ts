import { expect, it } from "vitest";
import { part } from "../parts/responsiveness.ts";
import { expectGatesMet } from "../short.ts";

it("no call on a large text holds up the others", { timeout: 120_000 }, async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

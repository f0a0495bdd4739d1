import { expect, it } from "vitest";
import { part } from "../parts/responsiveness.ts";
import { expectGatesMet } from "../short.ts";

it("no request with a large text blocks others", { timeout: 120_000 }, async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

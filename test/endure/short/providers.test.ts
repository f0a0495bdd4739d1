import { expect, it } from "vitest";
import { part } from "../parts/providers.ts";
import { expectGatesMet } from "../short.ts";

it("provider keys reach no one else, and budgets are exceeded by at most one request", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

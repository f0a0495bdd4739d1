import { expect, it } from "vitest";
import { part } from "../parts/providers.ts";
import { expectGatesMet } from "../short.ts";

it("keeps a provider's key from everybody else, and budgets from being exceeded by more than one request", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

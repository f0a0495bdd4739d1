import { expect, it } from "vitest";
import { part } from "../parts/kill.ts";
import { expectGatesMet } from "../short.ts";

it("the app loses nothing it acknowledged when it is killed at a random moment", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

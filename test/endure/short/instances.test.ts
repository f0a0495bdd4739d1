import { expect, it } from "vitest";
import { part } from "../parts/instances.ts";
import { expectGatesMet } from "../short.ts";

it("several apps on one data folder, older folders and damaged libraries lose nothing", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

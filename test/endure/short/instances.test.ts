import { expect, it } from "vitest";
import { part } from "../parts/instances.ts";
import { expectToEndure } from "../short.ts";

it("several apps on one data folder, older folders and damaged libraries lose nothing", async () => {
  await expect(expectToEndure(part)).resolves.toBeUndefined();
});

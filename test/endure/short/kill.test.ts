import { expect, it } from "vitest";
import { part } from "../parts/kill.ts";
import { expectToEndure } from "../short.ts";

it("the app loses nothing it acknowledged when it is killed at any moment", async () => {
  await expect(expectToEndure(part)).resolves.toBeUndefined();
});

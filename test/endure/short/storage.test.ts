import { expect, it } from "vitest";
import { part } from "../parts/storage.ts";
import { expectGatesMet } from "../short.ts";

it("the app lives through a disk that takes nothing for a while, at every place that writes", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

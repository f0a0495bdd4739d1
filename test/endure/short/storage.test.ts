import { expect, it } from "vitest";
import { part } from "../parts/storage.ts";
import { expectGatesMet } from "../short.ts";

it("the app survives a disk that rejects writes for a while, at every place that writes", async () => {
  await expect(expectGatesMet(part)).resolves.toBeUndefined();
});

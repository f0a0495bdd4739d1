import { expect, it } from "vitest";
import { part } from "../parts/documents.ts";
import { expectGatesMet } from "../short.ts";

it(
  "hostile texts and documents take time in proportion to their length",
  { timeout: 120_000 },
  async () => {
    await expect(expectGatesMet(part)).resolves.toBeUndefined();
  },
);

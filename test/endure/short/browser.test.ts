import { expect, it } from "vitest";
import { part } from "../parts/browser.ts";
import { expectGatesMet } from "../short.ts";
import { chromiumPath } from "../../support/browser.ts";

it.skipIf(chromiumPath === undefined)(
  "no other page, port or program gets access to the window (needs Chromium)",
  async () => {
    await expect(expectGatesMet(part)).resolves.toBeUndefined();
  },
);

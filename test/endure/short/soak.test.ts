import { it } from "vitest";
import { part } from "../parts/soak.ts";
import { expectGatesMet } from "../short.ts";

// oxlint-disable-next-line vitest/expect-expect -- the helper does
it("everything the app is for, mixed and at once, fails nowhere and leaves nothing behind", () =>
  expectGatesMet(part));

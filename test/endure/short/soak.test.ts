import { it } from "vitest";
import { part } from "../parts/soak.ts";
import { expectGatesMet } from "../short.ts";

// oxlint-disable-next-line vitest/expect-expect -- the helper does
it("all features, mixed and concurrent, neither fail nor leak", () => expectGatesMet(part));

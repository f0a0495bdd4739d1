import { expect, it } from "vitest";
import { part } from "../parts/overload.ts";
import { expectGatesMet } from "../short.ts";

it("under overload, excess requests are refused and the others served", () =>
  expect(expectGatesMet(part)).resolves.toBeUndefined());

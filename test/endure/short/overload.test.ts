import { expect, it } from "vitest";
import { part } from "../parts/overload.ts";
import { expectGatesMet } from "../short.ts";

it("what is beyond the machine is refused, and the rest served", () =>
  expect(expectGatesMet(part)).resolves.toBeUndefined());

import { expect, it } from "vitest";
import { part } from "../parts/children.ts";
import { expectGatesMet } from "../short.ts";

it("requests get correct responses while engine processes are killed, stopped and grown", () =>
  expect(expectGatesMet(part)).resolves.toBeUndefined());

import { expect, it } from "vitest";
import { part } from "../parts/media.ts";
import { expectGatesMet } from "../short.ts";

it("hostile media takes little memory and time, and does not crash the app", () =>
  expect(expectGatesMet(part)).resolves.toBeUndefined());

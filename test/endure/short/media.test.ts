import { expect, it } from "vitest";
import { part } from "../parts/media.ts";
import { expectGatesMet } from "../short.ts";

it("hostile media takes neither memory nor time nor the app", () =>
  expect(expectGatesMet(part)).resolves.toBeUndefined());

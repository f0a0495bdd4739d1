import { expect, it } from "vitest";
import { part } from "../parts/children.ts";
import { expectToEndure } from "../short.ts";

it("requests are right while engine processes are killed, stopped and grown", () =>
  expect(expectToEndure(part)).resolves.toBeUndefined());

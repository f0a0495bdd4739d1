import { expect, it } from "vitest";
import { part } from "../parts/media.ts";
import { expectToEndure } from "../short.ts";

it("hostile media takes neither memory nor time nor the app", () =>
  expect(expectToEndure(part)).resolves.toBeUndefined());

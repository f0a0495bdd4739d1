import { expect, it } from "vitest";
import { parseDecimal } from "../../../main/contract/decimal.ts";

it.each([
  ["0", 0],
  ["1", 1],
  ["0.2", 0.2],
  [".5", 0.5],
  ["1.", 1],
  ["007", 7],
  ["-0.1", -0.1],
  ["1e0", 1],
  ["1e-05", 0.00001],
  ["2E+1", 20],
])("parses %s as %s", (text, value) => {
  expect(parseDecimal(text)).toBe(value);
});

it.each([
  "",
  " ",
  "0x1",
  "0X1",
  "0o7",
  "0b1",
  "1_000",
  " 1",
  "1 ",
  "+1",
  "--1",
  ".",
  "e1",
  "1e",
  "1e1.5",
  "Infinity",
  "-Infinity",
  "NaN",
  "1n",
  "1,5",
  "١",
  "\u00a01",
])("rejects '%s'", (text) => {
  expect(parseDecimal(text)).toBeNaN();
});

import { expect, it } from "vitest";
import { parseInteger } from "../../../../renderer/ui/parse-integer.ts";

it("reads a whole number within its bounds", () => {
  expect(
    ["", "4", " 64 ", "0", "65", "1.5", "four"].map((text) => parseInteger(text, 1, 64)),
  ).toEqual([undefined, 4, 64, "wrong", "wrong", "wrong", "wrong"]);
});

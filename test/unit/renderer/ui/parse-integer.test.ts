import { expect, it } from "vitest";
import { parseInteger } from "../../../../renderer/ui/parse-integer.ts";

it("parses an integer within its bounds", () => {
  expect(
    ["", "4", " 64 ", "0", "65", "1.5", "four"].map((text) => parseInteger(text, 1, 64)),
  ).toEqual([undefined, 4, 64, "wrong", "wrong", "wrong", "wrong"]);
});

import { expect, it } from "vitest";
import { runToCompletion } from "../../../../main/processes/time-slices.ts";
import { countWordsInSteps } from "../../../../main/text/script/count-words.ts";

it("counts words without the ending of the possessive, and leaves out abbreviations", () => {
  const counts = runToCompletion(
    countWordsInSteps(["Aoife’s boat, Aoife’s NASA tin-opener.", "It is 5 km to Aoife."]),
  );
  expect([...counts]).toEqual([
    ["Aoife", 3],
    ["boat", 1],
    ["tin-opener", 1],
  ]);
});

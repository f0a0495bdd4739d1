import { expect, it } from "vitest";
import { parseSpeakerCount } from "../../../main/contract/speakers.ts";

it("reads a number of speakers or a range of numbers, and nothing else", () => {
  expect(parseSpeakerCount("2")).toEqual({ min: 2, max: 2 });
  expect(parseSpeakerCount("2-4")).toEqual({ min: 2, max: 4 });
  expect(parseSpeakerCount(" 2 – 4 ")).toEqual({ min: 2, max: 4 });
  const wrong = ["", "0", "4-2", "2-", "two", "2-4-6", "100", "-2", "1.5"];
  expect(wrong.filter((text) => parseSpeakerCount(text) !== undefined)).toEqual([]);
});

import { expect, it } from "vitest";
import { findMissedWords } from "../../../../main/text/script/missed-words.ts";

const same: readonly [written: string, transcribed: string][] = [
  ["Hello, world!", "hello world"],
  ["Don't say you can't; it's fine.", "do not say you cannot its fine"],
  [
    "In 1906 there were 1,906 of them.",
    "in nineteen oh six there were one thousand nine hundred six of them",
  ],
  ["It cost $5.50 on the 3rd.", "It cost five dollars fifty on the third."],
  ["Anyone can go into the newsroom.", "Any one can go into the news room."],
  ["Dr. Kowalski met Mr. Smith.", "Doctor Kovalsky met Mister Smith."],
  ["Sales rose 20% & more.", "Sales rose twenty percent and more"],
  ["Write here, knight.", "right hear night"],
  ["", "anything"],
  [
    "The train leaves at 3:45 and takes 45 minutes.",
    "The train leaves at three forty-five and takes forty-five minutes.",
  ],
  ["The train leaves at 3:45.", "The train leaves at a quarter to four."],
  ["The train leaves at 3:45.", "The train leaves at 345."],
  ["The train leaves at three forty-five.", "The train leaves at 3.45."],
  ["We met at half past three.", "We met at 3:30."],
  ["We met at 12:45.", "We met at a quarter to 1."],
  ["It is half a mile from here.", "It is 1/2 a mile from here."],
  ["It is 1/2 mile from here.", "It is half a mile from here."],
  ["It weighs 2.5 kg, or 2½.", "It weighs two and a half kilograms, or two and a half."],
  ["We sailed to [Kowloon](/kˌWlˈun/) at noon.", "We sailed to Cowloon at noon."],
];

it.each(same)('accepts "%s" transcribed as "%s"', (written, transcribed) => {
  expect(findMissedWords(written, transcribed)).toEqual([]);
});

it("lists a word as it is written, without its inline phonemes, and a time as one word", () => {
  expect(
    findMissedWords("We sailed to [Kowloon](/kˌWlˈun/) at noon.", "We sailed to at noon."),
  ).toEqual(["Kowloon"]);
  expect(
    findMissedWords("The last train leaves at 3:45 from here.", "The last train leaves from here."),
  ).toEqual(["at", "3:45"]);
  expect(
    findMissedWords("At 3:45 he saw 12 elephants.", "At a quarter to four he saw twelve bananas."),
  ).toEqual(["elephants"]);
});

it("lists the words that are missing or were replaced, as they are written", () => {
  expect(findMissedWords("The quick brown Fox jumps.", "The quick jumps.")).toEqual([
    "brown",
    "Fox",
  ]);
  expect(
    findMissedWords("She sold 12 elephants yesterday.", "She sold twelve bananas yesterday."),
  ).toEqual(["elephants"]);
  expect(findMissedWords("Nothing came back.", "")).toEqual(["Nothing", "came", "back"]);
});

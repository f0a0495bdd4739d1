import { expect, it } from "vitest";
import { createTurnSearch } from "../../../main/transcript/turn-search.ts";

const turn = (fromSec: number, toSec: number) => ({ speaker: 0, fromSec, toSec });

it("finds the turns that touch a range, and those next to it", () => {
  const turns = [turn(0, 1), turn(2, 20), turn(3, 4), turn(5, 6), turn(10, 11), turn(30, 31)];
  const [first, long, , short, after, last] = turns;
  const { inside, near } = createTurnSearch(turns);
  expect(inside(5, 10)).toEqual([long, short]);
  expect(near(5, 10)).toEqual([turns[2], long, short, after]);
  expect(near(0, 2)).toEqual([first, long]);
  expect(near(25, 26)).toEqual([after, last]);
  expect(near(40, 41)).toEqual([last]);
  expect(createTurnSearch([]).near(0, 1)).toEqual([]);
});

it("looks at few turns of a long recording", () => {
  let looks = 0;
  const turns = Array.from({ length: 10_000 }, (_, at) => ({
    speaker: 0,
    fromSec: at,
    get toSec() {
      looks += 1;
      return at + 0.5;
    },
  }));
  const { near } = createTurnSearch(turns);
  looks = 0;
  expect(near(8000.1, 8001.6).map(({ fromSec }) => fromSec)).toEqual([7999, 8000, 8001, 8002]);
  expect(looks).toBeLessThan(10);
});

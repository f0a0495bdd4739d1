import { expect, it } from "vitest";
import { diarizationErrors } from "../../support/diarization-error.ts";

const span = (speaker: string | number, fromSec: number, toSec: number) => ({
  speaker,
  fromSec,
  toSec,
});
const truth = [span("Ann", 0, 10), span("Bob", 10, 20), span("Ann", 18, 24)];

it("counts nothing where the same is found under other names, or borders differ within the collar", () => {
  const found = [span(1, 0, 10.2), span(0, 10.2, 19.9), span(1, 18.1, 23.8)];
  expect(diarizationErrors(truth, found)).toEqual({
    missedSec: 0,
    falseAlarmSec: 0,
    confusedSec: expect.closeTo(0),
    // Without collars: 9.5 of Ann, 7.5 of Bob alone, 1.5 of both, 3.5 of Ann.
    speechSec: expect.closeTo(23.5),
  });
});

it("counts what was missed, also of an overlap", () => {
  expect(diarizationErrors(truth, [span(0, 0, 10), span(1, 10, 20)])).toMatchObject({
    missedSec: expect.closeTo(5),
    falseAlarmSec: 0,
    confusedSec: expect.closeTo(0),
  });
});

it("counts speech where there was none", () => {
  expect(diarizationErrors([span("Ann", 0, 4)], [span(0, 0, 8)])).toMatchObject({
    falseAlarmSec: expect.closeTo(3.75),
  });
});

it("counts confused speakers with the mapping that is best for all", () => {
  const found = [span(0, 0, 6), span(1, 6, 20)];
  expect(diarizationErrors(truth.slice(0, 2), found)).toMatchObject({
    missedSec: 0,
    confusedSec: expect.closeTo(3.75),
  });
});

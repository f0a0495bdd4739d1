import { expect, it } from "vitest";
import { keepTranscribedSpeakers } from "../../../main/transcript/transcribed-speakers.ts";

const print = (value: number): Float32Array => Float32Array.of(value);
const speakers = {
  turns: [
    { fromSec: 0, toSec: 12, speaker: 0 },
    { fromSec: 15, toSec: 18, speaker: 1 },
    { fromSec: 19, toSec: 22, speaker: 2 },
    { fromSec: 24, toSec: 25, speaker: 1 },
  ],
  prints: [print(0), print(1), print(2)],
};

it("leaves out who only talks where nothing was said, and numbers the others as they appear", () => {
  const spoken = [
    { startSec: 15, endSec: 17.5 },
    { startSec: 19.5, endSec: 22 },
  ];
  expect(keepTranscribedSpeakers(speakers, spoken)).toEqual({
    turns: [
      { fromSec: 15, toSec: 18, speaker: 0 },
      { fromSec: 19, toSec: 22, speaker: 1 },
      { fromSec: 24, toSec: 25, speaker: 0 },
    ],
    prints: [print(1), print(2)],
  });
});

it("leaves nobody where nothing was said at all", () => {
  expect(keepTranscribedSpeakers(speakers, [])).toEqual({ turns: [], prints: [] });
});

it("keeps everybody who may have said what was said between turns", () => {
  const { turns } = keepTranscribedSpeakers(speakers, [{ startSec: 12.5, endSec: 14 }]);
  expect(turns.map(({ speaker }) => speaker)).toEqual([0, 1, 1]);
});

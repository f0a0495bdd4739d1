import { expect, it } from "vitest";
import type { DiarizedWindow } from "../../../../main/engines/diarization/diarizer.ts";
import { joinSpeakers } from "../../../../main/engines/diarization/speaker-turns.ts";
import {
  chunksOf,
  runsOf,
  windowCount,
  windowFrames,
  windowStartSec,
} from "../../../../main/engines/diarization/windows.ts";

type Said = { voice: number; fromSec: number; toSec: number };

const printOf = (voice: number): Float32Array =>
  Float32Array.from({ length: 8 }, (_, i) => (i === voice ? 1 : 0));

/** What the models would say: local speakers are numbered as they appear in each window. */
function windowsOf(said: readonly Said[], durationSec: number): DiarizedWindow[] {
  return Array.from({ length: windowCount(durationSec) }, (_, index) => {
    const locals: number[] = [];
    const frames = Uint8Array.from({ length: windowFrames }, (__, frame) => {
      const sec = windowStartSec(index) + (10 * (frame + 0.5)) / windowFrames;
      let bits = 0;
      for (const { voice, fromSec, toSec } of said) {
        if (sec < fromSec || sec >= toSec) continue;
        if (!locals.includes(voice)) locals.push(voice);
        bits |= 1 << locals.indexOf(voice);
      }
      return bits;
    });
    const chunks = runsOf({ index, frames }, durationSec).flatMap(chunksOf);
    return {
      index,
      frames,
      prints: chunks.map((chunk) => ({ ...chunk, print: printOf(locals[chunk.speaker] ?? 7) })),
    };
  });
}

const near = (sec: number): number => expect.closeTo(sec, 1) as number;
const turn = (speaker: number, fromSec: number, toSec: number) => ({
  speaker,
  fromSec: near(fromSec),
  toSec: near(toSec),
});
const conversation: Said[] = [
  { voice: 3, fromSec: 1, toSec: 9 },
  { voice: 5, fromSec: 10, toSec: 23 },
  { voice: 3, fromSec: 24, toSec: 30 },
];

it("numbers speakers as they appear, and knows them again in other windows", () => {
  expect(joinSpeakers(windowsOf(conversation, 31), 31).turns).toEqual([
    turn(0, 1, 9),
    turn(1, 10, 23),
    turn(0, 24, 30),
  ]);
});

it("keeps overlaps, also of somebody who is never heard alone nearby", () => {
  const said = [...conversation, { voice: 3, fromSec: 16, toSec: 17.5 }];
  expect(joinSpeakers(windowsOf(said, 31), 31).turns).toEqual([
    turn(0, 1, 9),
    turn(1, 10, 23),
    turn(0, 16, 17.5),
    turn(0, 24, 30),
  ]);
});

it("joins what is said with a short pause, and nothing else", () => {
  const said = [
    { voice: 0, fromSec: 1, toSec: 3 },
    { voice: 0, fromSec: 3.3, toSec: 6 },
    { voice: 0, fromSec: 6.7, toSec: 8 },
  ];
  expect(joinSpeakers(windowsOf(said, 9), 9).turns).toEqual([turn(0, 1, 6), turn(0, 6.7, 8)]);
});

it("two people who talk at the same time are two, however similar their voices seem", () => {
  const windows = windowsOf(
    [
      { voice: 0, fromSec: 0, toSec: 6 },
      { voice: 1, fromSec: 4, toSec: 10 },
      { voice: 1, fromSec: 12, toSec: 20 },
    ],
    20,
  );
  // In the first window, the second voice sounds a little more like the first than like itself.
  const mixed = Float32Array.from({ length: 8 }, (_, i) => (i === 0 ? 0.71 : i === 1 ? 0.7 : 0));
  for (const window of windows.slice(0, 1))
    for (const print of window.prints) if (print.speaker === 1) print.print.set(mixed);
  expect(joinSpeakers(windows, 20).turns).toEqual([turn(0, 0, 6), turn(1, 4, 10), turn(1, 12, 20)]);
});

it("who talks over the only speaker is a second one, unless there is hardly anything of it", () => {
  const alone = { voice: 0, fromSec: 0, toSec: 20 };
  const over = (sec: number) => [alone, { voice: 1, fromSec: 8, toSec: 8 + sec }];
  expect(joinSpeakers(windowsOf(over(2), 20), 20)).toEqual({
    turns: [turn(0, 0, 20), turn(1, 8, 10)],
    prints: [printOf(0), new Float32Array()],
  });
  expect(joinSpeakers(windowsOf(over(0.4), 20), 20).turns).toEqual([turn(0, 0, 20)]);
  expect(joinSpeakers(windowsOf(over(2), 20), 20, { max: 1 }).turns).toEqual([turn(0, 0, 20)]);
});

it("a short interruption is another speaker, even where the voices are alike", () => {
  const said = [
    { voice: 0, fromSec: 0, toSec: 6 },
    { voice: 1, fromSec: 5.4, toSec: 8 },
    { voice: 2, fromSec: 9, toSec: 20 },
  ];
  const windows = windowsOf(said, 20);
  for (const { prints } of windows)
    for (const { print } of prints) if (print[1] === 1) print.set(printOf(0));
  expect(joinSpeakers(windows, 20).turns).toEqual([turn(0, 0, 8), turn(1, 5.4, 6), turn(1, 9, 20)]);
});

it("speech without any voice print is one speaker", () => {
  const said = [{ voice: 0, fromSec: 2, toSec: 2.4 }];
  expect(joinSpeakers(windowsOf(said, 5), 5).turns).toEqual([turn(0, 2, 2.4)]);
  expect(joinSpeakers(windowsOf([], 5), 5).turns).toEqual([]);
});

it("a chunk goes to another speaker than its voice where it clearly resembles them", () => {
  const windows = windowsOf(conversation, 31);
  const [first] = windows;
  first?.prints[1]?.print.set(printOf(5));
  const speakers = joinSpeakers(windows, 31).turns.map(({ speaker }) => speaker);
  expect(speakers).toEqual([0, 1, 0, 1, 0]);
});

it("keeps to a number of speakers that is given", () => {
  const turns = joinSpeakers(windowsOf(conversation, 31), 31, { max: 1 }).turns;
  expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(1);
});

it("knows everybody in a recording that is too long to compare everything with everything", () => {
  const said = Array.from({ length: 1700 }, (_, i) => ({
    voice: i % 4,
    fromSec: 5 * i,
    toSec: 5 * i + 4,
  }));
  const turns = joinSpeakers(windowsOf(said, 8500), 8500).turns;
  expect(turns.map(({ speaker }) => speaker)).toEqual(said.map(({ voice }) => voice));
});

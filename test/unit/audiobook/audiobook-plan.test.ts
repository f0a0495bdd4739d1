import { expect, it } from "vitest";
import { planAudiobook } from "../../../main/audiobook/audiobook-plan.ts";
import { runToCompletion } from "../../../main/processes/time-slices.ts";

const sentence = (takeId: string, chapter?: string) => ({
  takeId,
  durationSec: 2,
  pauseSec: 0.5,
  written: `Words of ${takeId}.`,
  startsParagraph: false,
  ...(chapter === undefined ? {} : { chapter }),
});
const sentences = [
  sentence("a"),
  sentence("b", "One"),
  sentence("c"),
  sentence("d", "Two"),
  sentence("e"),
];

it("puts all chapters into one file, one after the other without gaps", () => {
  const [file, ...others] = runToCompletion(planAudiobook(sentences, "Book", false, 1 / 24_000));
  expect(others).toEqual([]);
  expect(file?.parts.map(({ takeId, pauseSec }) => `${takeId} ${pauseSec}`)).toEqual([
    "a 0.5",
    "b 0.5",
    "c 0.5",
    "d 0.5",
    "e 0",
  ]);
  expect(file?.chapters).toEqual([
    { title: "Book", startSec: 0, endSec: 2.5 },
    { title: "One", startSec: 2.5, endSec: 7.5 },
    { title: "Two", startSec: 7.5, endSec: 12 },
  ]);
  expect(file?.cues[1]).toEqual({ startSec: 2.5, endSec: 4.5, text: "Words of b." });
});

it("plans one file per chapter, whose times start at 0", () => {
  const files = runToCompletion(planAudiobook(sentences, "Book", true, 1 / 24_000));
  expect(
    files.map(({ title, track, parts, chapters }) => [title, track, parts.length, chapters.length]),
  ).toEqual([
    ["Book", 1, 1, 0],
    ["One", 2, 2, 0],
    ["Two", 3, 2, 0],
  ]);
  expect(files[2]?.cues.map(({ startSec }) => startSec)).toEqual([0, 2.5]);
});

it("splits a long sentence into several consecutive cues", () => {
  const written = "A sentence that goes on and on, ".repeat(8).trim();
  const [file] = runToCompletion(
    planAudiobook(
      [{ takeId: "a", durationSec: 12, pauseSec: 1, written, startsParagraph: false }],
      "Book",
      false,
      1 / 24_000,
    ),
  );
  const cues = file?.cues ?? [];
  expect(cues.length).toBeGreaterThan(2);
  expect(cues.map(({ text }) => text.replaceAll("\n", " ")).join(" ")).toBe(written);
  for (const [place, cue] of cues.entries())
    expect(cue.startSec).toBe(cues[place - 1]?.endSec ?? 0);
  expect(cues.at(-1)?.endSec).toBe(12);
});

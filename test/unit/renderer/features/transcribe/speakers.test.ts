// Names of speakers: assigned to segments and runs, renamed everywhere, kept by other edits.

import { expect, it } from "vitest";
import {
  replaceWithTranscription,
  merge,
  split,
} from "../../../../../renderer/features/transcribe/document/edits.ts";
import {
  invertPatch,
  applyPatch,
} from "../../../../../renderer/features/transcribe/document/segments.ts";
import {
  assignSpeaker,
  renameSpeaker,
  sameSpeakerRun,
  listSpeakers,
} from "../../../../../renderer/features/transcribe/document/speakers.ts";
import {
  plainText,
  timedText,
} from "../../../../../renderer/features/transcribe/transcript/plain-text.ts";
import { segment } from "./segments.ts";

const talk = [
  segment(1, 0, 2, "good morning"),
  segment(2, 2, 4, "how are you"),
  segment(3, 4, 6, "well thanks"),
  segment(4, 6, 8, "and you"),
];
const names = (segments: typeof talk | readonly (typeof talk)[number][]) =>
  segments.map(({ speaker }) => speaker ?? "-").join(" ");
const assigned = (from: readonly (typeof talk)[number][], id: number, name: string | undefined) =>
  applyPatch(from, assignSpeaker(sameSpeakerRun(from, id), name));

it("are assigned up to the next speaker, so that naming each change names all segments", () => {
  const first = assigned(talk, 1, "Anna");
  expect(names(first)).toBe("Anna Anna Anna Anna");
  const second = assigned(first, 3, "Ben");
  expect(names(second)).toBe("Anna Anna Ben Ben");
  expect(names(assigned(second, 1, "Carla"))).toBe("Carla Carla Ben Ben");
  expect(names(assigned(second, 3, undefined))).toBe("Anna Anna - -");
  expect(listSpeakers(second)).toEqual([
    { name: "Anna", count: 2, hue: 1 },
    { name: "Ben", count: 2, hue: 2 },
  ]);
  const patch = assignSpeaker(sameSpeakerRun(second, 3), "Dora");
  expect(applyPatch(applyPatch(second, patch), invertPatch(second, patch))).toEqual(second);
  expect(assignSpeaker(second.slice(0, 2), "Anna").put).toEqual([]);
});

it("are renamed everywhere, and merged with an existing name", () => {
  const all = assigned(assigned(assigned(talk, 1, "Anna"), 2, "Ben"), 4, "Anna");
  expect(names(all)).toBe("Anna Ben Ben Anna");
  expect(names(applyPatch(all, renameSpeaker(all, "Anna", "Annabel")))).toBe(
    "Annabel Ben Ben Annabel",
  );
  expect(listSpeakers(applyPatch(all, renameSpeaker(all, "Anna", "Ben")))).toHaveLength(1);
});

it("are kept when segments are split, merged and transcribed again", () => {
  const all = assigned(assigned(talk, 1, "Anna"), 3, "Ben");
  const [first, second, third] = all as [
    (typeof talk)[number],
    (typeof talk)[number],
    (typeof talk)[number],
  ];
  expect(names(split(first, 5, 9)?.put ?? [])).toBe("Anna Anna");
  expect(names(merge(first, second).put)).toBe("Anna");
  const transcribed = [
    segment(0, 2.2, 4.1, "how were you"),
    segment(1, 4.1, 6, "well many thanks"),
  ];
  expect(
    names(
      replaceWithTranscription(all, { fromSec: second.startSec, toSec: third.endSec }, transcribed)
        .put,
    ),
  ).toBe("Anna Ben");
});

it("appear in copied text where they start to speak", () => {
  const all = assigned(assigned(talk, 1, "Anna"), 3, "Ben");
  expect(plainText(all)).toBe("Anna: good morning how are you\n\nBen: well thanks and you");
  expect(timedText(all).split("\n").slice(1, 3)).toEqual([
    "0:02\thow are you",
    "0:04\tBen: well thanks",
  ]);
});

import { expect, it } from "vitest";
import {
  totalOf,
  type TrialTranscript,
} from "../../../../../renderer/features/models/measured-total.ts";

const transcript = (
  measured: Partial<NonNullable<TrialTranscript["measured"]>>,
  tookMs = 1000,
): TrialTranscript => ({
  clip: "clip",
  text: "",
  tookMs,
  measured: {
    id: "",
    model: "whisper-base",
    clip: "clip",
    language: "de",
    unit: "words",
    length: 10,
    substituted: 0,
    deleted: 0,
    inserted: 0,
    rate: 0,
    measuredAt: 0,
    parts: [],
    ...measured,
  },
});

it("adds up the errors and the time of all clips with a known text", () => {
  expect(
    totalOf([
      transcript({ length: 10, substituted: 1, inserted: 1, speed: 4, memoryBytes: 5 }, 1000),
      transcript({ length: 30, deleted: 2, speed: 8, memoryBytes: 7 }, 3000),
      { clip: "of unknown text", text: "", tookMs: 9000 },
    ]),
  ).toEqual({ unit: "words", length: 40, errors: 4, rate: 0.1, speed: 7, memoryBytes: 7 });
});

it("has no speed if that of a clip is unknown, and nothing without a known text", () => {
  expect(totalOf([transcript({ speed: 4 }), transcript({})])).toMatchObject({ speed: undefined });
  expect(totalOf([{ clip: "clip", text: "", tookMs: 1 }])).toBeUndefined();
});

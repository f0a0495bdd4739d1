// Captions from the sound to the text, with a scripted microphone and app.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LiveTurn, LiveTurnsEvents } from "../../../../../renderer/api/live-turns.ts";
import type { AudioInputEvents } from "../../../../../renderer/bridge/audio-source.ts";
import {
  type CaptionsDeps,
  createCaptions,
} from "../../../../../renderer/features/captions/captions.ts";
import { createTurnAudio } from "../../../../../renderer/features/captions/turn-audio.ts";

const block = (value: number) => new Int16Array(800).fill(value);

function setUp(deps: Partial<CaptionsDeps> = {}) {
  const seen = {
    connections: [] as LiveTurnsEvents[],
    pushed: 0,
    translated: [] as number[][],
    recorded: 0,
    recordings: 0,
    ended: 0,
  };
  const options = { translates: false, isRecorded: false };
  let input: AudioInputEvents | undefined;
  const captions = createCaptions({
    async open(events) {
      input = events;
      return { label: "", pause: () => {}, resume: () => {}, close: async () => {} };
    },
    openLiveTurns(events) {
      seen.connections.push(events);
      return { push: () => (seen.pushed += 1), finish: async () => {}, close: () => {} };
    },
    shouldTranslate: () => options.translates,
    async translate(blocks) {
      seen.translated.push(blocks.flatMap((each) => [...new Set(each)]));
      return "Good morning.";
    },
    shouldRecord: () => options.isRecorded,
    async beginRecording() {
      seen.recordings += 1;
      return { push: () => (seen.recorded += 1), end: async () => void (seen.ended += 1) };
    },
    texts: {
      inputFailed: () => "no microphone",
      inputLost: () => "unplugged",
      inputMissing: (from, { label }) => `${label} instead of ${from}`,
      connectionLost: (why) => `broke: ${why}`,
      translationFailed: () => "untranslated",
      recordingFailed: () => "unrecorded",
    },
    ...deps,
  });
  const turn = (patch: Partial<LiveTurn> & { id: string }): void =>
    seen.connections.at(-1)?.onTurn({
      settled: "",
      unsettled: "",
      isCompleted: false,
      startMs: 0,
      endMs: 0,
      ...patch,
    });
  return {
    captions,
    seen,
    options,
    turn,
    say: (value: number) => input?.onBlock(block(value), 0.5),
    unplug: () => input?.onLost(),
    state: () => captions.store.getState(),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("show each turn where it began, and drop one without words", async () => {
  const { captions, turn, state } = setUp();
  await captions.start();
  turn({ id: "a", settled: "The", unsettled: " harbor" });
  turn({ id: "b", unsettled: "A" });
  turn({ id: "a", settled: "The harbour.", isCompleted: true });
  expect(state().captions).toMatchObject([
    { id: "a", settled: "The harbour.", unsettled: "" },
    { id: "b", settled: "", unsettled: "A" },
  ]);
  turn({ id: "b", isCompleted: true });
  expect(state().captions.map(({ id }) => id)).toEqual(["a"]);
});

it("translate the sound of completed turns that are not in English, where that is wanted", async () => {
  const { captions, turn, state, seen, options, say } = setUp();
  await captions.start();
  for (let value = 1; value <= 6; value += 1) say(value);
  const german = { settled: "Guten Morgen.", isCompleted: true, language: "de" };
  turn({ id: "a", ...german, startMs: 0, endMs: 50 });
  options.translates = true;
  turn({ id: "b", ...german, startMs: 100, endMs: 200 });
  turn({ id: "c", ...german, language: "en", startMs: 200, endMs: 250 });
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.translated).toEqual([[3, 4]]);
  expect(state().captions.map(({ translation }) => translation)).toEqual([
    undefined,
    "Good morning.",
    undefined,
  ]);
});

it("leave out a translation that says the same, and report one that failed", async () => {
  const { captions, turn, state, options, say } = setUp({
    translate: vi
      .fn<CaptionsDeps["translate"]>()
      .mockResolvedValueOnce("good morning")
      .mockRejectedValueOnce(new Error("no")),
  });
  options.translates = true;
  await captions.start();
  for (let value = 1; value <= 4; value += 1) say(value);
  turn({ id: "a", settled: "Good morning!", isCompleted: true, startMs: 0, endMs: 100 });
  await vi.advanceTimersByTimeAsync(0);
  expect(state()).toMatchObject({ captions: [{ translation: undefined }], message: undefined });
  turn({ id: "b", settled: "Guten Tag!", isCompleted: true, startMs: 100, endMs: 200 });
  await vi.advanceTimersByTimeAsync(0);
  expect(state().message).toBe("untranslated");
});

it("connect again when the connection breaks, and keep what was shown", async () => {
  const { captions, turn, state, seen, say } = setUp();
  await captions.start();
  turn({ id: "a", settled: "The", unsettled: " har" });
  seen.connections[0]?.onFailure("gone");
  expect(state()).toMatchObject({
    phase: "listening",
    message: "broke: gone",
    captions: [{ settled: "The", unsettled: "" }],
  });
  await vi.runAllTimersAsync();
  expect(seen.connections).toHaveLength(2);
  say(1);
  turn({ id: "b", settled: "A boat" });
  expect(state()).toMatchObject({ message: undefined, captions: [{ id: "a" }, { id: "b" }] });
  expect(seen.pushed).toBe(1);
});

it("record only while that is wanted", async () => {
  const { captions, seen, options, say, state } = setUp();
  await captions.start();
  say(1);
  options.isRecorded = true;
  await captions.applyRecording();
  say(2);
  expect(state().recordedSec).toBe(0);
  options.isRecorded = false;
  await captions.applyRecording();
  say(3);
  expect([seen.recordings, seen.recorded, seen.ended]).toEqual([1, 1, 1]);
  expect(state().recordedSec).toBeUndefined();
});

it("end the recording, and say why, when the device is unplugged", async () => {
  const { captions, seen, options, unplug, state } = setUp();
  options.isRecorded = true;
  await captions.start();
  unplug();
  await vi.advanceTimersByTimeAsync(0);
  expect(state()).toMatchObject({ phase: "idle", message: "unplugged", recordedSec: undefined });
  expect(seen.ended).toBe(1);
  await captions.start();
  expect([state().phase, seen.recordings]).toEqual(["listening", 2]);
});

it("say why nothing is transcribed, and can be started again", async () => {
  const { captions, state } = setUp({ open: async () => Promise.reject(new Error("no")) });
  await captions.start();
  expect(state()).toMatchObject({ phase: "idle", message: "no microphone" });
});

it("keep the sound of two minutes at most for translation", () => {
  const audio = createTurnAudio();
  for (let count = 0; count < 4; count += 1) audio.push(new Int16Array(960_000));
  const taken = audio.take(0, 240_000).reduce((sum, part) => sum + part.length, 0);
  expect(taken).toBe(2 * 960_000);
  expect(audio.take(0, 240_000)).toEqual([]);
});

it("says so if the chosen microphone is not connected", async () => {
  const { captions, state } = setUp({
    open: async () => ({
      label: "Built-in",
      missingDevice: "Headset",
      pause: () => {},
      resume: () => {},
      close: async () => {},
    }),
  });
  await captions.start();
  expect(state()).toMatchObject({ phase: "listening", message: "Built-in instead of Headset" });
});

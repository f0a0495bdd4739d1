// A dictation from the first sample to the text, with a scripted microphone and app.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createDictation,
  type Dictation,
  type DictationDeps,
} from "../../../../../renderer/features/dictate/dictation.ts";
import { encodeWav } from "../../../../../renderer/bridge/wav.ts";
import type { AudioInputEvents } from "../../../../../renderer/bridge/audio-source.ts";

const second = (value: number) => new Int16Array(16_000).fill(value);

function setUp(deps: Partial<DictationDeps> = {}) {
  const seen = {
    delivered: [] as string[],
    saved: [] as Blob[],
    transcribed: [] as Blob[],
    closed: 0,
  };
  let events: AudioInputEvents | undefined;
  const dictation: Dictation = createDictation({
    async open(given) {
      events = given;
      return {
        label: "",
        pause: () => {},
        resume: () => {},
        close: async () => void (seen.closed += 1),
      };
    },
    async transcribe(sound) {
      seen.transcribed.push(sound);
      return " Some words. ";
    },
    saveToLibrary: async (sound) => void seen.saved.push(sound),
    async deliverText(text) {
      seen.delivered.push(text);
      return true;
    },
    ...deps,
  });
  const record = (sec: number, peak = 0.5) => {
    for (let made = 0; made < sec; made += 1) events?.onBlock(second(100), peak);
  };
  return {
    dictation,
    seen,
    record,
    unplug: () => events?.onLost(),
    state: () => dictation.store.getState(),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Recording continues for a moment, so that the last words are not cut off. */
async function ended(work: Promise<void>): Promise<void> {
  await vi.runAllTimersAsync();
  await work;
}

describe("a dictation", () => {
  it("says so if the chosen microphone is not connected, also while it listens", async () => {
    let emit: AudioInputEvents["onBlock"] | undefined;
    const { dictation, state } = setUp({
      async open(given) {
        emit = given.onBlock;
        return {
          label: "Built-in",
          missingDevice: "Headset",
          pause: () => {},
          resume: () => {},
          close: async () => {},
        };
      },
    });
    await dictation.begin();
    emit?.(second(100), 0.5);
    const fallback = { from: "Headset", name: "Built-in" };
    expect(state()).toEqual({ phase: "listening", sec: 1, fallback });
  });

  it("transcribes everything that was said and delivers the text", async () => {
    const { dictation, seen, record, state } = setUp();
    await dictation.begin();
    record(2);
    expect(state()).toEqual({ phase: "listening", sec: 2 });
    const stopping = dictation.stop();
    record(1);
    await ended(stopping);
    expect(state()).toEqual({ phase: "done", text: "Some words.", isDelivered: true });
    expect([seen.delivered, seen.transcribed[0]?.size, seen.closed, seen.saved]).toEqual([
      ["Some words."],
      44 + 3 * 32_000,
      1,
      [],
    ]);
  });

  it("reports the level to its subscribers", async () => {
    const { dictation, record } = setUp();
    const levels: number[] = [];
    await dictation.begin();
    const stop = dictation.onLevel((peak) => levels.push(peak));
    record(1, 0.25);
    stop();
    record(1, 0.75);
    expect(levels).toEqual([0.25]);
  });

  it("shows the text where no desktop app accepts it", async () => {
    const { dictation, record, state } = setUp({
      deliverText: () => Promise.reject(new Error("gone")),
    });
    await dictation.begin();
    record(1);
    await ended(dictation.stop());
    expect(state()).toEqual({ phase: "done", text: "Some words.", isDelivered: false });
  });

  it.each([
    ["too short", 0, 0.5, false],
    ["silent", 2, 0.0001, true],
  ])("sends no request where the audio was %s", async (_what, sec, peak, isSilent) => {
    const { dictation, seen, record, state } = setUp();
    await dictation.begin();
    record(sec, peak);
    await ended(dictation.stop());
    expect([state(), seen.transcribed]).toEqual([{ phase: "nothing", isSilent }, []]);
  });

  it("reports that no words were recognized", async () => {
    const { dictation, seen, record, state } = setUp({ transcribe: async () => " " });
    await dictation.begin();
    record(1);
    await ended(dictation.stop());
    expect([state(), seen.delivered]).toEqual([{ phase: "nothing", isSilent: false }, []]);
  });

  it("saves audio in the library when its transcription fails", async () => {
    const { dictation, seen, record, state } = setUp({
      transcribe: () => Promise.reject(new Error("No.")),
    });
    await dictation.begin();
    record(1);
    await ended(dictation.stop());
    expect(state()).toEqual({ phase: "failed", why: "No.", audio: undefined });
    expect([seen.saved[0]?.size, seen.delivered]).toEqual([44 + 32_000, []]);
  });

  it("keeps audio in memory that could not be saved, and transcribes it on retry", async () => {
    let isWell = false;
    const { dictation, seen, record, state } = setUp({
      transcribe: async () => (isWell ? "At last." : Promise.reject(new Error("No."))),
      saveToLibrary: () => Promise.reject(new Error("Full.")),
    });
    await dictation.begin();
    record(1);
    await ended(dictation.stop());
    expect(state()).toMatchObject({ phase: "failed", audio: expect.any(Blob) });
    await dictation.retry();
    expect(state()).toMatchObject({ phase: "failed", audio: expect.any(Blob) });
    isWell = true;
    await dictation.retry();
    expect([state(), seen.delivered]).toEqual([
      { phase: "done", text: "At last.", isDelivered: true },
      ["At last."],
    ]);
  });

  it("is transcribed up to the moment at which the microphone is unplugged", async () => {
    const { dictation, record, unplug, state } = setUp();
    await dictation.begin();
    record(1);
    unplug();
    await vi.runAllTimersAsync();
    expect(state().phase).toBe("done");
    await dictation.begin();
    expect(state()).toEqual({ phase: "listening", sec: 0 });
  });

  it("ends on its own before it is too long to be transcribed", async () => {
    const { dictation, seen, record } = setUp();
    await dictation.begin();
    record(800);
    await vi.runAllTimersAsync();
    expect(seen.transcribed.map(({ size }) => size < 26_000_000)).toEqual([true]);
  });

  it("reports why there is no microphone", async () => {
    const { dictation, state } = setUp({
      open: () => Promise.reject(new DOMException("", "NotFoundError")),
    });
    await dictation.begin();
    expect(state()).toEqual({ phase: "trouble", problem: "missing" });
  });
});

describe("a discarded dictation", () => {
  it("is dropped, and the desktop app is notified", async () => {
    const { dictation, seen, record, state } = setUp();
    await dictation.begin();
    record(1);
    await dictation.discard();
    expect([state(), seen.delivered, seen.transcribed, seen.closed]).toEqual([
      { phase: "discarded" },
      [""],
      [],
      1,
    ]);
  });

  it("is not delivered when its transcription arrives later", async () => {
    const answer = Promise.withResolvers<string>();
    const { dictation, seen, record, state } = setUp({ transcribe: () => answer.promise });
    await dictation.begin();
    record(1);
    const stopping = dictation.stop();
    await vi.runAllTimersAsync();
    expect(state().phase).toBe("transcribing");
    await dictation.discard();
    answer.resolve("Too late.");
    await stopping;
    expect([state(), seen.delivered, seen.saved]).toEqual([{ phase: "discarded" }, [""], []]);
  });

  it("releases a microphone that is still being opened", async () => {
    const opened = Promise.withResolvers<void>();
    let closed = 0;
    const { dictation, state } = setUp({
      async open() {
        await opened.promise;
        return {
          label: "",
          pause: () => {},
          resume: () => {},
          close: async () => void (closed += 1),
        };
      },
    });
    const beginning = dictation.begin();
    await dictation.discard();
    opened.resolve();
    await beginning;
    expect([state(), closed]).toEqual([{ phase: "discarded" }, 1]);
  });
});

it("writes samples as a WAV file", async () => {
  const bytes = new DataView(
    await encodeWav([Int16Array.of(1, -2), Int16Array.of(3)]).arrayBuffer(),
  );
  const text = (at: number) =>
    String.fromCharCode(...Array.from({ length: 4 }, (_, index) => bytes.getUint8(at + index)));
  expect([text(0), text(8), text(12), text(36)]).toEqual(["RIFF", "WAVE", "fmt ", "data"]);
  expect([
    bytes.getUint32(4, true),
    bytes.getUint32(24, true),
    bytes.getUint32(40, true),
    bytes.byteLength,
  ]).toEqual([42, 16_000, 6, 50]);
  expect([44, 46, 48].map((at) => bytes.getInt16(at, true))).toEqual([1, -2, 3]);
});

// A dictation from the first sample to the text, with a microphone and an app that do what the test says.

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
  const seen = { handed: [] as string[], kept: [] as Blob[], heard: [] as Blob[], closed: 0 };
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
      seen.heard.push(sound);
      return " Some words. ";
    },
    saveToLibrary: async (sound) => void seen.kept.push(sound),
    async deliverText(text) {
      seen.handed.push(text);
      return true;
    },
    ...deps,
  });
  const speak = (sec: number, peak = 0.5) => {
    for (let made = 0; made < sec; made += 1) events?.onBlock(second(100), peak);
  };
  return {
    dictation,
    seen,
    speak,
    unplug: () => events?.onLost(),
    state: () => dictation.store.getState(),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The last words are waited for. */
async function ended(work: Promise<void>): Promise<void> {
  await vi.runAllTimersAsync();
  await work;
}

describe("a dictation", () => {
  it("hears all that was said and hands the text on", async () => {
    const { dictation, seen, speak, state } = setUp();
    await dictation.begin();
    speak(2);
    expect(state()).toEqual({ phase: "listening", sec: 2 });
    const stopping = dictation.stop();
    speak(1);
    await ended(stopping);
    expect(state()).toEqual({ phase: "done", text: "Some words.", isDelivered: true });
    expect([seen.handed, seen.heard[0]?.size, seen.closed, seen.kept]).toEqual([
      ["Some words."],
      44 + 3 * 32_000,
      1,
      [],
    ]);
  });

  it("tells the level to whoever listens", async () => {
    const { dictation, speak } = setUp();
    const levels: number[] = [];
    await dictation.begin();
    const stop = dictation.onLevel((peak) => levels.push(peak));
    speak(1, 0.25);
    stop();
    speak(1, 0.75);
    expect(levels).toEqual([0.25]);
  });

  it("shows the text where no desktop takes it", async () => {
    const { dictation, speak, state } = setUp({
      deliverText: () => Promise.reject(new Error("gone")),
    });
    await dictation.begin();
    speak(1);
    await ended(dictation.stop());
    expect(state()).toEqual({ phase: "done", text: "Some words.", isDelivered: false });
  });

  it.each([
    ["too short", 0, 0.5, false],
    ["silent", 2, 0.0001, true],
  ])("asks nobody what was said where it was %s", async (_what, sec, peak, isSilent) => {
    const { dictation, seen, speak, state } = setUp();
    await dictation.begin();
    speak(sec, peak);
    await ended(dictation.stop());
    expect([state(), seen.heard]).toEqual([{ phase: "nothing", isSilent }, []]);
  });

  it("says that nothing was heard", async () => {
    const { dictation, seen, speak, state } = setUp({ transcribe: async () => " " });
    await dictation.begin();
    speak(1);
    await ended(dictation.stop());
    expect([state(), seen.handed]).toEqual([{ phase: "nothing", isSilent: false }, []]);
  });

  it("keeps in the library what could not be heard", async () => {
    const { dictation, seen, speak, state } = setUp({
      transcribe: () => Promise.reject(new Error("No.")),
    });
    await dictation.begin();
    speak(1);
    await ended(dictation.stop());
    expect(state()).toEqual({ phase: "failed", why: "No.", audio: undefined });
    expect([seen.kept[0]?.size, seen.handed]).toEqual([44 + 32_000, []]);
  });

  it("holds on to what could not even be kept, and hears it when tried again", async () => {
    let isWell = false;
    const { dictation, seen, speak, state } = setUp({
      transcribe: async () => (isWell ? "At last." : Promise.reject(new Error("No."))),
      saveToLibrary: () => Promise.reject(new Error("Full.")),
    });
    await dictation.begin();
    speak(1);
    await ended(dictation.stop());
    expect(state()).toMatchObject({ phase: "failed", audio: expect.any(Blob) });
    await dictation.retry();
    expect(state()).toMatchObject({ phase: "failed", audio: expect.any(Blob) });
    isWell = true;
    await dictation.retry();
    expect([state(), seen.handed]).toEqual([
      { phase: "done", text: "At last.", isDelivered: true },
      ["At last."],
    ]);
  });

  it("is heard as far as it went when the microphone is unplugged", async () => {
    const { dictation, speak, unplug, state } = setUp();
    await dictation.begin();
    speak(1);
    unplug();
    await vi.runAllTimersAsync();
    expect(state().phase).toBe("done");
    await dictation.begin();
    expect(state()).toEqual({ phase: "listening", sec: 0 });
  });

  it("ends by itself before it is too long to be heard", async () => {
    const { dictation, seen, speak } = setUp();
    await dictation.begin();
    speak(800);
    await vi.runAllTimersAsync();
    expect(seen.heard.map(({ size }) => size < 26_000_000)).toEqual([true]);
  });

  it("says why there is no microphone", async () => {
    const { dictation, state } = setUp({
      open: () => Promise.reject(new DOMException("", "NotFoundError")),
    });
    await dictation.begin();
    expect(state()).toEqual({ phase: "trouble", problem: "missing" });
  });
});

describe("what is discarded", () => {
  it("is let go, and the desktop is told", async () => {
    const { dictation, seen, speak, state } = setUp();
    await dictation.begin();
    speak(1);
    await dictation.discard();
    expect([state(), seen.handed, seen.heard, seen.closed]).toEqual([
      { phase: "discarded" },
      [""],
      [],
      1,
    ]);
  });

  it("is not handed on when it comes to be heard after all", async () => {
    const answer = Promise.withResolvers<string>();
    const { dictation, seen, speak, state } = setUp({ transcribe: () => answer.promise });
    await dictation.begin();
    speak(1);
    const stopping = dictation.stop();
    await vi.runAllTimersAsync();
    expect(state().phase).toBe("hearing");
    await dictation.discard();
    answer.resolve("Too late.");
    await stopping;
    expect([state(), seen.handed, seen.kept]).toEqual([{ phase: "discarded" }, [""], []]);
  });

  it("lets the microphone go that was still being opened", async () => {
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

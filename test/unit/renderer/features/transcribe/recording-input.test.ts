// The input of a recording and of the level before it: microphones that are changed, unplugged, missing or refused.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AudioInputEvents, AudioSource } from "../../../../../renderer/bridge/audio-source.ts";
import { createInputMonitor } from "../../../../../renderer/features/transcribe/record/input-monitor.ts";
import { createRecordingInput } from "../../../../../renderer/features/transcribe/record/recording-input.ts";

const microphone = (deviceLabel?: string): AudioSource => ({ kind: "microphone", deviceLabel });

type OpenedDevice = {
  /** Its own name, or that of the default. */
  readonly label: string;
  /** A block with that sample, as it arrives. */
  say(sample: number): void;
  unplug(): void;
  isPaused: boolean;
  isClosed: boolean;
};

/** Microphones; the first is the system's default. Closing delivers a last block: the sample 99. */
function devices(connected: string[]) {
  const opened: OpenedDevice[] = [];
  async function open({ deviceLabel }: AudioSource, { onBlock, onLost }: AudioInputEvents) {
    const isConnected = deviceLabel !== undefined && connected.includes(deviceLabel);
    const label = isConnected ? deviceLabel : connected[0];
    if (label === undefined) throw new DOMException("", "NotFoundError");
    const emit = (sample: number): void => {
      if (!device.isPaused) onBlock(Int16Array.of(sample), sample / 100);
    };
    const device: OpenedDevice = {
      label,
      isPaused: false,
      isClosed: false,
      say: emit,
      unplug() {
        connected.splice(connected.indexOf(label), 1);
        onLost();
      },
    };
    opened.push(device);
    await Promise.resolve();
    return {
      label,
      missingDevice: isConnected ? undefined : deviceLabel,
      pause: () => void (device.isPaused = true),
      resume: () => void (device.isPaused = false),
      async close() {
        await Promise.resolve();
        emit(99);
        device.isClosed = true;
      },
    };
  }
  function at(index: number): OpenedDevice {
    const device = opened[index];
    if (device === undefined) throw new Error(`only ${opened.length} were opened`);
    return device;
  }
  return { open, opened, at };
}

function record(connected: string[]) {
  const all = devices(connected);
  const received: number[] = [];
  const lost: AudioSource[] = [];
  const input = createRecordingInput({
    open: all.open,
    onBlock: (samples) => received.push(...samples),
    onLost: (source) => lost.push(source),
  });
  return { ...all, input, received, lost };
}

describe("the input of a recording", () => {
  it("changes to another microphone, and keeps what both recorded in the order of time", async () => {
    const { input, at, received } = record(["Built-in", "Headset"]);
    await input.open(microphone());
    at(0).say(1);
    const changing = input.open(microphone("Headset"));
    await Promise.resolve();
    // Until the new one is open, only the previous one counts.
    at(0).say(2);
    at(1).say(3);
    expect((await changing).label).toBe("Headset");
    at(1).say(4);
    expect([received, at(0).isClosed]).toEqual([[1, 2, 99, 4], true]);
  });

  it("goes on with the previous microphone if the new one cannot be opened", async () => {
    const connected = ["Built-in"];
    const { input, at, received } = record(connected);
    await input.open(microphone());
    connected.length = 0;
    await expect(input.open(microphone("Headset"))).rejects.toThrow(DOMException);
    at(0).say(1);
    expect([received, at(0).isClosed]).toEqual([[1], false]);
  });

  it("reports only the loss of the microphone in use", async () => {
    const { input, at, lost } = record(["Built-in", "Headset"]);
    await input.open(microphone());
    await input.open(microphone("Headset"));
    at(0).unplug();
    expect(lost).toEqual([]);
    at(1).unplug();
    expect(lost).toEqual([microphone("Headset")]);
  });

  it("keeps the last block of a microphone that was unplugged", async () => {
    const { input, at, received } = record(["Headset", "Built-in"]);
    await input.open(microphone());
    at(0).say(1);
    at(0).unplug();
    expect((await input.open(microphone())).label).toBe("Built-in");
    at(1).say(2);
    expect(received).toEqual([1, 99, 2]);
  });

  it("stays paused when the microphone changes, and resumes with the new one", async () => {
    const { input, at, received } = record(["Built-in", "Headset"]);
    await input.open(microphone());
    input.pause();
    await input.open(microphone("Headset"));
    at(1).say(1);
    input.resume();
    at(1).say(2);
    await input.close();
    expect(received).toEqual([2, 99]);
  });

  it("closes without waiting for a microphone that is being opened, and that one once it is open", async () => {
    const { input, at, received } = record(["Built-in", "Headset"]);
    await input.open(microphone());
    const changing = input.open(microphone("Headset"));
    await input.close();
    expect([at(0).isClosed, received]).toEqual([true, [99]]);
    await changing;
    expect([at(1).isClosed, received]).toEqual([true, [99]]);
  });
});

describe("the level before a recording", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("says whether the microphone picks up anything", async () => {
    const { open, at } = devices(["Built-in"]);
    const monitor = createInputMonitor(open);
    const levels: number[] = [];
    monitor.onLevel((peak) => levels.push(peak));
    await monitor.start(microphone());
    const on = { phase: "on", label: "Built-in", missingDevice: undefined };
    expect(monitor.store.getState()).toEqual({ ...on, signal: "waiting" });
    vi.advanceTimersByTime(10_000);
    expect(monitor.store.getState()).toEqual({ ...on, signal: "silence" });
    at(0).say(50);
    expect(monitor.store.getState()).toEqual({ ...on, signal: "sound" });
    expect(levels.at(-1)).toBe(0.5);
    monitor.stop();
    expect(monitor.store.getState()).toEqual({ phase: "off" });
    await vi.waitFor(() => expect(at(0).isClosed).toBe(true));
  });

  it("uses the default instead of a microphone that is not connected, or no longer, and names both", async () => {
    const { open, at } = devices(["Headset", "Built-in"]);
    const monitor = createInputMonitor(open);
    await monitor.start(microphone("Studio"));
    expect(monitor.store.getState()).toMatchObject({ label: "Headset", missingDevice: "Studio" });
    await monitor.start(microphone("Headset"));
    expect(monitor.store.getState()).toMatchObject({ label: "Headset", missingDevice: undefined });
    at(1).unplug();
    await vi.waitFor(() =>
      expect(monitor.store.getState()).toMatchObject({
        label: "Built-in",
        missingDevice: "Headset",
      }),
    );
  });

  it("says why there is none", async () => {
    const monitor = createInputMonitor(devices([]).open);
    await monitor.start(microphone());
    expect(monitor.store.getState()).toEqual({ phase: "failed", problem: "missing" });
  });

  it("closes a microphone that opens after the end", async () => {
    const { open, at } = devices(["Built-in"]);
    const monitor = createInputMonitor(open);
    const starting = monitor.start(microphone());
    monitor.stop();
    await starting;
    expect([monitor.store.getState(), at(0).isClosed]).toEqual([{ phase: "off" }, true]);
  });
});

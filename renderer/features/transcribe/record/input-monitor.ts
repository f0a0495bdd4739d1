// What the chosen microphone picks up before a recording: opened only while somebody looks at it, nothing is kept.

import { createStore, type StoreApi } from "zustand/vanilla";
import {
  microphoneProblem,
  type AudioInput,
  type AudioInputEvents,
  type AudioSource,
  type MicrophoneProblem,
} from "../../../bridge/audio-source.ts";
import { createSilenceWatch, type InputSignal } from "../../../ui/level.ts";

export type MonitorState =
  | { readonly phase: "off" | "starting" }
  | {
      readonly phase: "on";
      /** Empty if the browser does not reveal it. */
      readonly label: string;
      readonly missingDevice: string | undefined;
      readonly signal: InputSignal;
    }
  | { readonly phase: "failed"; readonly problem: MicrophoneProblem };

export type InputMonitor = {
  readonly store: StoreApi<MonitorState>;
  /** Instead of the previous one. */
  start(source: AudioSource): Promise<void>;
  stop(): void;
  /** The peak (0 to 1) of every 50 ms. @returns unsubscribe */
  onLevel(listener: (peak: number) => void): () => void;
};

export function createInputMonitor(
  open: (source: AudioSource, events: AudioInputEvents) => Promise<AudioInput>,
): InputMonitor {
  const store = createStore<MonitorState>(() => ({ phase: "off" }));
  const set = (state: MonitorState): void => store.setState(state, true);
  const levelListeners = new Set<(peak: number) => void>();
  let input: AudioInput | undefined;
  let run: symbol | undefined;
  const watch = createSilenceWatch((signal) => {
    const state = store.getState();
    if (state.phase === "on") set({ ...state, signal });
  });

  function close(): void {
    run = undefined;
    watch.stop();
    void input?.close();
    input = undefined;
    for (const listener of levelListeners) listener(0);
  }

  async function start(source: AudioSource): Promise<void> {
    close();
    const thisRun = Symbol(source.deviceLabel);
    run = thisRun;
    set({ phase: "starting" });
    try {
      const opened = await open(source, {
        onBlock(_, peak) {
          if (run !== thisRun) return;
          watch.addPeak(peak);
          for (const listener of levelListeners) listener(peak);
        },
        // Once more: the system's default, if there is one.
        onLost: () => void (run === thisRun && start(source)),
      });
      if (run !== thisRun) return await opened.close();
      input = opened;
      const { label, missingDevice } = opened;
      set({ phase: "on", label, missingDevice, signal: "waiting" });
      watch.start();
    } catch (error) {
      if (run === thisRun) set({ phase: "failed", problem: microphoneProblem(error) });
    }
  }

  return {
    store,
    start,
    stop() {
      close();
      set({ phase: "off" });
    },
    onLevel(listener) {
      levelListeners.add(listener);
      return () => void levelListeners.delete(listener);
    },
  };
}

// The main thread's end of the watchdog: what may be held and how long decoding may take is set before each task.

import { setDecodeListener } from "../../audio/codec/decode-progress.ts";
import { startWatchdog } from "../../processes/start-watchdog.ts";
import { stateIndex } from "../../processes/watchdog-state.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { TaskName } from "./protocol.ts";

/** Both models that hear, the one that speaks, and hearing with a long prompt take up to 960 MB. What these tasks take no file decides. */
const maxModelMb = 1200;
const modelGrowthMb = 900;

export type WatchLimits = {
  /** A process whose models take little stays below 1 GB, what grows between two looks of the watchdog included. */
  maxMediaMb: number;
  /** Beside the models: what the index of the largest tables that are taken (audio/codec/mp4-table-check.ts) needs, and a little. */
  mediaGrowthMb: number;
  /** Decoding that gives nothing for so long is stuck. */
  stallMs: number;
};
const defaultLimits: WatchLimits = { maxMediaMb: 850, mediaGrowthMb: 400, stallMs: 25_000 };

export type TaskWatchdog = {
  begin(name: TaskName): void;
  end(): void;
  /** What the watchdog looks at. */
  readonly state: Int32Array<SharedArrayBuffer>;
};

/** Starts the watchdog of this process. @param limits what a test may want lower */
export function startTaskWatchdog({
  maxMediaMb,
  mediaGrowthMb,
  stallMs,
}: WatchLimits = defaultLimits): TaskWatchdog {
  const state = startWatchdog();
  setDecodeListener(() => Atomics.add(state, stateIndex.progress, 1));
  return {
    begin(name) {
      const usedMb = process.memoryUsage.rss() / 1e6;
      const isMedia = isMediaTask(name);
      Atomics.add(state, stateIndex.progress, 1);
      Atomics.store(
        state,
        stateIndex.maxMb,
        Math.round(
          isMedia
            ? Math.max(maxMediaMb, usedMb + mediaGrowthMb)
            : Math.max(maxModelMb, usedMb + modelGrowthMb),
        ),
      );
      Atomics.store(state, stateIndex.stallMs, isMedia ? stallMs : 0);
    },
    end() {
      Atomics.store(state, stateIndex.maxMb, 0);
      Atomics.store(state, stateIndex.stallMs, 0);
    },
    state,
  };
}

// Main-thread side of the watchdog: sets the limits for memory and decoding time before each task.

import { setDecodeListener } from "../../audio/codec/decode-progress.ts";
import { startWatchdog } from "../../processes/start-watchdog.ts";
import { stateIndex } from "../../processes/watchdog-state.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { TaskName } from "./protocol.ts";

/**
 * Both transcription models, the speech model, and transcription with a long prompt take up to 960 MB. No file decides
 * how much these tasks need.
 */
const maxModelMb = 1200;
const modelGrowthMb = 900;
/** While a model is loaded, its file, its parsed graph and its weights are in memory. */
const loadingMbPerMb = 3;

export type WatchLimits = {
  /** Keeps a process with small models below 1 GB, including growth between two watchdog checks. */
  maxMediaMb: number;
  /**
   * In addition to models: memory for the index of the largest accepted MP4 tables (audio/codec/mp4-table-check.ts),
   * and a margin.
   */
  mediaGrowthMb: number;
  /** Decoding without output for this long counts as stuck. */
  stallMs: number;
};
const defaultLimits: WatchLimits = { maxMediaMb: 850, mediaGrowthMb: 400, stallMs: 25_000 };

export type TaskWatchdog = {
  /** @param modelBytes size of the files of the model that the task uses */
  begin(name: TaskName, modelBytes?: number): void;
  end(): void;
  /** Memory shared with the watchdog thread. */
  readonly state: Int32Array<SharedArrayBuffer>;
};

/** Starts the watchdog of this process. @param limits lower values for tests */
export function startTaskWatchdog({
  maxMediaMb,
  mediaGrowthMb,
  stallMs,
}: WatchLimits = defaultLimits): TaskWatchdog {
  const state = startWatchdog();
  setDecodeListener(() => Atomics.add(state, stateIndex.progress, 1));
  return {
    begin(name, modelBytes = 0) {
      const usedMb = process.memoryUsage.rss() / 1e6;
      const isMedia = isMediaTask(name);
      Atomics.add(state, stateIndex.progress, 1);
      Atomics.store(
        state,
        stateIndex.maxMb,
        Math.round(
          isMedia
            ? Math.max(maxMediaMb, usedMb + mediaGrowthMb)
            : Math.max(maxModelMb, usedMb + modelGrowthMb) + loadingMbPerMb * (modelBytes / 1e6),
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

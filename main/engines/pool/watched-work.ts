// The main thread's end of the watchdog: what may be held and how long decoding may take is set before each task.

import { watchDecoding } from "../../audio/codec/decode-progress.ts";
import { startWatchdog } from "../../processes/start-watchdog.ts";
import { field } from "../../processes/watchdog-state.ts";
import { isMediaTask } from "./media-tasks.ts";
import type { TaskName } from "./protocol.ts";

/** Both models that hear, the one that speaks, and hearing with a long prompt take up to 960 MB. What these tasks take no file decides. */
const maxModelMb = 1200;
const modelGrowthMb = 900;

export type WatchLimits = {
  /** A process whose models take little stays below 1 GB, what grows between two looks of the watchdog included. */
  maxMediaMb: number;
  /** Beside the models: what the index of the largest tables that are taken (audio/codec/mp4-claims.ts) needs, and a little. */
  mediaGrowthMb: number;
  /** Decoding that gives nothing for so long is stuck. */
  stallMs: number;
};
const defaultLimits: WatchLimits = { maxMediaMb: 850, mediaGrowthMb: 400, stallMs: 25_000 };

export type WatchedWork = {
  begin(name: TaskName): void;
  end(): void;
  /** What the watchdog looks at. */
  readonly state: Int32Array<SharedArrayBuffer>;
};

/** Starts the watchdog of this process. @param limits what a test may want lower */
export function watchWork({
  maxMediaMb,
  mediaGrowthMb,
  stallMs,
}: WatchLimits = defaultLimits): WatchedWork {
  const state = startWatchdog();
  watchDecoding(() => Atomics.add(state, field.progress, 1));
  return {
    begin(name) {
      const heldMb = process.memoryUsage.rss() / 1e6;
      const isMedia = isMediaTask(name);
      Atomics.add(state, field.progress, 1);
      Atomics.store(
        state,
        field.maxMb,
        Math.round(
          isMedia
            ? Math.max(maxMediaMb, heldMb + mediaGrowthMb)
            : Math.max(maxModelMb, heldMb + modelGrowthMb),
        ),
      );
      Atomics.store(state, field.stallMs, isMedia ? stallMs : 0);
    },
    end() {
      Atomics.store(state, field.maxMb, 0);
      Atomics.store(state, field.stallMs, 0);
    },
    state,
  };
}

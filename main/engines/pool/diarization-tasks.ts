// A child's tasks that tell speakers apart: window by window, and then for the file as a whole.

import { readPcmRange } from "../../audio/codec/pcm-file.ts";
import type { DiarizedWindow, Diarizer } from "../diarization/diarizer.ts";
import { joinSpeakers } from "../diarization/speaker-turns.ts";
import { windowSec, windowStartSec } from "../diarization/windows.ts";
import { sttSampleRateHz } from "../engine.ts";
import type { ModelCache } from "./model-cache.ts";
import type { TaskHandlers } from "./protocol.ts";

export const createDiarizationTasks = (
  diarizers: ModelCache<Diarizer>,
): Pick<TaskHandlers, "diarize" | "join-speakers"> => ({
  diarize: ({ model, pcmPath, firstWindow, endWindow, durationSec, headerBytes }, signal) =>
    diarizers.lease(model, async ({ diarizeWindow }) => {
      const windows: DiarizedWindow[] = [];
      for (let index = firstWindow; index < endWindow; index += 1) {
        signal.throwIfAborted();
        const from = windowStartSec(index) * sttSampleRateHz;
        const to = from + windowSec * sttSampleRateHz;
        const samples = await readPcmRange(pcmPath, from, to, headerBytes);
        windows.push(await diarizeWindow(samples, index, durationSec));
      }
      return windows;
    }),
  "join-speakers": async ({ windows, durationSec, count }) =>
    joinSpeakers(windows, durationSec, count),
});

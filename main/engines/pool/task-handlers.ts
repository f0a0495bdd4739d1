// What a child does for each task in protocol.ts, and the models and sessions that it keeps for them.

import { loadSpeechToText, loadTextToSpeech, loadVad } from "../engine-list.ts";
import { createAudioInputTasks } from "./audio-input-tasks.ts";
import { createAudioOutputTasks } from "./audio-output-tasks.ts";
import { createEngineTasks } from "./engine-tasks.ts";
import { createModelCache } from "./model-cache.ts";
import type { MediaLimits, TaskHandlers } from "./protocol.ts";

/** For models unused while others are in use; a child without any work is ended sooner. */
const modelIdleMs = 5 * 60_000;

/** @param onUnload called after an idle model was unloaded */
export function createTaskHandlers(onUnload: () => void): {
  tasks: TaskHandlers;
  closeSession(session: string): void;
  loadedModels(): [id: string, bytes: number][];
  setLimits(limits: MediaLimits): void;
} {
  const cacheOptions = { idleMs: modelIdleMs, onUnload };
  const sttModels = createModelCache(loadSpeechToText, cacheOptions);
  const ttsModels = createModelCache(loadTextToSpeech, cacheOptions);
  const vadModels = createModelCache(loadVad, cacheOptions);
  const input = createAudioInputTasks(vadModels);
  const output = createAudioOutputTasks();
  return {
    tasks: { ...input.tasks, ...createEngineTasks(sttModels, ttsModels), ...output.tasks },
    closeSession(session) {
      input.closeSession(session);
      output.closeSession(session);
    },
    setLimits: input.setLimits,
    loadedModels: () =>
      [sttModels, ttsModels, vadModels].flatMap((models) => models.loadedModels()),
  };
}

// What a child does for each task in protocol.ts, and the models and sessions that it keeps for them.

import type { InstalledModel } from "../../contract/models.ts";
import { isLargeModel } from "../model-runtime.ts";
import { loadDiarizer, loadSpeechToText, loadTextToSpeech, loadVad } from "../engine-list.ts";
import { createAudioInputTasks } from "./audio-input-tasks.ts";
import { createAudioOutputTasks } from "./audio-output-tasks.ts";
import { createDiarizationTasks } from "./diarization-tasks.ts";
import { createEngineTasks } from "./engine-tasks.ts";
import { createModelCache, modelIdleMs } from "./model-cache.ts";
import type { TaskServer } from "./serve-tasks.ts";

/** @param onModelsChange called after a model was loaded or unloaded */
export function createTaskHandlers(onModelsChange: () => void): TaskServer {
  const cacheOptions = { idleMs: modelIdleMs, onChange: onModelsChange };
  let largeModelThreads = 1;
  const threadsFor = (model: InstalledModel): number =>
    isLargeModel(model) ? largeModelThreads : 1;
  const sttModels = createModelCache(
    (model) => loadSpeechToText(model, threadsFor(model)),
    cacheOptions,
  );
  const ttsModels = createModelCache(
    (model) => loadTextToSpeech(model, threadsFor(model)),
    cacheOptions,
  );
  const diarizers = createModelCache(loadDiarizer, cacheOptions);
  const vadModels = createModelCache(loadVad, cacheOptions);
  const input = createAudioInputTasks(vadModels);
  const output = createAudioOutputTasks();
  return {
    tasks: {
      ...input.tasks,
      ...createEngineTasks(sttModels, ttsModels),
      ...createDiarizationTasks(diarizers),
      ...output.tasks,
    },
    closeSession(session) {
      input.closeSession(session);
      output.closeSession(session);
    },
    setUp({ mediaLimits, ...setup }) {
      ({ largeModelThreads } = setup);
      if (mediaLimits !== undefined) input.setLimits(mediaLimits);
    },
    loadedModels: () =>
      [sttModels, ttsModels, diarizers, vadModels].flatMap((models) => models.loadedModels()),
  };
}

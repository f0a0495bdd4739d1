// Entry module of the child processes that run models with sherpa-onnx. They decode no media: other children do.

import { tmpdir } from "node:os";
import type { InstalledModel } from "../../contract/models.ts";
import { isLargeModel } from "../model-runtime.ts";
import { createEngineTasks } from "../pool/engine-tasks.ts";
import { createModelCache, modelIdleMs } from "../pool/model-cache.ts";
import type { ChildSetup } from "../pool/protocol.ts";
import { serveTasks } from "../pool/serve-tasks.ts";
import { createRecognizer } from "./recognizer.ts";
import { createSpeech } from "./speech.ts";
import { createStreamingRecognizer } from "./streaming-recognizer.ts";

serveTasks((onModelsChange) => {
  let setup: ChildSetup = { largeModelThreads: 1, supportDir: tmpdir() };
  const threadsFor = (model: InstalledModel): number =>
    isLargeModel(model) ? setup.largeModelThreads : 1;
  const options = { idleMs: modelIdleMs, onChange: onModelsChange };
  const sttModels = createModelCache(
    (model) =>
      model.family === "zipformer-streaming"
        ? createStreamingRecognizer(model, threadsFor(model))
        : createRecognizer(model, threadsFor(model)),
    options,
  );
  const ttsModels = createModelCache(
    (model) => createSpeech(model, threadsFor(model), setup.supportDir),
    options,
  );
  return {
    tasks: createEngineTasks(sttModels, ttsModels),
    setUp: (values) => (setup = values),
    closeSession() {},
    loadedModels: () => [sttModels, ttsModels].flatMap((models) => models.loadedModels()),
  };
});

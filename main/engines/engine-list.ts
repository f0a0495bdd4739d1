// Maps models to engines. A new engine is one branch here.

import type { InstalledModel } from "../contract/models.ts";
import { createDiarizer, type Diarizer } from "./diarization/diarizer.ts";
import type { SpeechToText, TextToSpeech } from "./engine.ts";
import { createModelFiles } from "./model-files.ts";
import { createMoonshine } from "./stt/moonshine/moonshine.ts";
import { createWhisper } from "./stt/whisper/whisper.ts";
import { createHibari } from "./tts/hibari/hibari.ts";
import { createKokoro } from "./tts/kokoro/kokoro.ts";
import { openSpeechGraph } from "./tts/kokoro/speech-graph.ts";
import { loadSileroModel, type SileroModel } from "./vad/silero.ts";

/**
 * @param threads used by the model
 * @throws Error if the model's family cannot transcribe
 */
export function loadSpeechToText(model: InstalledModel, threads = 1): Promise<SpeechToText> {
  const files = createModelFiles(model, threads);
  if (model.family === "moonshine" || model.family === "moonshine-v2")
    return createMoonshine(files, model.languages[0]?.code ?? "en");
  if (model.family === "whisper") return createWhisper(files);
  throw new Error(`${model.id} cannot transcribe`);
}

/**
 * @param threads used by the model
 * @throws Error if the model's family cannot synthesize
 */
export function loadTextToSpeech(model: InstalledModel, threads = 1): Promise<TextToSpeech> {
  if (model.family === "hibari") return createHibari(createModelFiles(model));
  if (model.family === "kokoro-compact" && model.usedModel !== undefined) {
    const { read, path } = createModelFiles(model);
    return createKokoro({
      read,
      async openGraph() {
        // The graph maps its weights from there.
        await path("kokoro.onnx");
        return openSpeechGraph(await path("graph.onnx"), threads);
      },
      // A damaged one sets aside this model, too.
      readHibari: createModelFiles({ ...model.usedModel, id: model.id }).read,
      voices: model.voices ?? [],
    });
  }
  throw new Error(`${model.id} cannot synthesize`);
}

/** @throws Error if the model's family has no VAD */
export async function loadVad(model: InstalledModel): Promise<SileroModel> {
  if (model.family === "silero")
    return loadSileroModel(await createModelFiles(model).read("silero_vad_v6_sequence.onnx"));
  throw new Error(`${model.id} cannot detect voice`);
}

/** @throws Error if the model's family cannot tell speakers apart */
export async function loadDiarizer(model: InstalledModel): Promise<Diarizer> {
  if (model.family === "pyannote") return createDiarizer(createModelFiles(model));
  throw new Error(`${model.id} cannot tell speakers apart`);
}

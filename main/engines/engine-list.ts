// Maps models to engines. A new engine is one line here.

import type { ModelBundle } from "../contract/speech.ts";
import type { SpeechToText, TextToSpeech } from "./engine.ts";
import { createModelFileReader } from "./model-files.ts";
import { createMoonshine } from "./stt/moonshine/moonshine.ts";
import { createWhisper } from "./stt/whisper/whisper.ts";
import { createHibari } from "./tts/hibari/hibari.ts";
import { loadSileroModel, type SileroModel } from "./vad/silero.ts";

/** @throws Error if the model's engine cannot transcribe */
export function loadSpeechToText(model: ModelBundle): Promise<SpeechToText> {
  if (model.engine === "moonshine") return createMoonshine(createModelFileReader(model));
  if (model.engine === "whisper")
    return createWhisper(
      createModelFileReader(model),
      model.files.map(({ name }) => name),
    );
  throw new Error(`${model.id} cannot transcribe`);
}

/** @throws Error if the model's engine cannot synthesize */
export function loadTextToSpeech(model: ModelBundle): Promise<TextToSpeech> {
  if (model.engine === "hibari") return createHibari({ read: createModelFileReader(model) });
  throw new Error(`${model.id} cannot synthesize`);
}

/** @throws Error if the model's engine has no VAD */
export async function loadVad(model: ModelBundle): Promise<SileroModel> {
  if (model.engine === "silero")
    return loadSileroModel(await createModelFileReader(model)("silero_vad_v6_sequence.onnx"));
  throw new Error(`${model.id} cannot detect voice`);
}

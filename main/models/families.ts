// Recognizes a model's family by its files, wherever they come from: the model hub, a release archive of sherpa-onnx, a
// folder. The one place that knows each family's layout: a function per family in families/, the first that fits.

import { createFileFinder } from "./families/file-finder.ts";
import type { ModelFileSet, RecognizedModel } from "./families/family-recognizer.ts";
import { speechToTextFamilies } from "./families/speech-to-text.ts";
import { textToSpeechFamilies } from "./families/text-to-speech.ts";

/** Undefined if the files are of no known family, or of several models. */
export async function recognizeFamily(set: ModelFileSet): Promise<RecognizedModel | undefined> {
  const files = createFileFinder(set.files);
  for (const recognize of [...speechToTextFamilies, ...textToSpeechFamilies]) {
    const model = await recognize(files, set);
    if (model !== undefined) return { ...model, fileNames: files.belongingTo(model.roles) };
  }
  return undefined;
}

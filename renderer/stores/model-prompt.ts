// The prompt of a live transcription.

import type { TranscribeOptions } from "../../main/contract/transcript-document.ts";
import { modelLimits } from "./model-limits.ts";
import { loadModels, useModels } from "./models.ts";

/** The prompt, unless the model takes none. */
export async function promptFor({ model, prompt }: TranscribeOptions): Promise<string | undefined> {
  if (prompt === undefined) return undefined;
  if (!useModels.getState().isLoaded) await loadModels();
  return modelLimits(useModels.getState().models, model).takesNoPrompt ? undefined : prompt;
}

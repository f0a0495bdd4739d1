// What the model of a transcription cannot do, so that the options say it before. Pure.

import type { ListedModel } from "../../main/contract/window-api.ts";

export type ModelLimits = {
  readonly cannotTranslate: boolean;
  readonly takesNoPrompt: boolean;
  knowsLanguage(code: string): boolean;
};

/**
 * Names such as `whisper-1`, and most models of channels, tell neither capabilities nor languages: nothing is limited.
 */
export function modelLimits(models: readonly ListedModel[], id: string): ModelLimits {
  const { capabilities, languages = [] } = models.find((model) => model.id === id) ?? {};
  return {
    cannotTranslate: capabilities?.translatesTo.includes("en") === false,
    takesNoPrompt: capabilities?.prompt === false,
    knowsLanguage: (code) => languages.length === 0 || languages.includes(code),
  };
}

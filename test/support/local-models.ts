// The models that come with the app, or some of them, as the local channel takes them.

import type { InstalledModel } from "../../main/contract/models.ts";
import type { ModelChoices } from "../../main/contract/studio-api.ts";
import { createModelNames, type ModelNames } from "../../main/models/defaults.ts";
import { shippedModels } from "../../main/models/shipped-models.ts";

const noChoices: ModelChoices = { transcribe: {}, translate: {}, speak: {}, speakHd: {} };

export function localModels(
  installed: readonly InstalledModel[] = shippedModels(),
  choices: Partial<ModelChoices> = {},
): { models: () => readonly InstalledModel[]; names: ModelNames } {
  const models = () => installed;
  return { models, names: createModelNames(models, () => ({ ...noChoices, ...choices })) };
}

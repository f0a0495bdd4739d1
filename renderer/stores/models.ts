// Models of all channels, for pickers and the Models page. Read at first use and when channels or models change.

import { create } from "zustand";
import type { ListedModel, ModelDefaults } from "../../main/contract/window-api.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";

type ModelsState = {
  /** Those that can serve requests. */
  models: readonly ListedModel[];
  /** Also damaged models, and those that could be installed here. */
  listed: readonly ListedModel[];
  defaults: ModelDefaults;
  tellsSpeakersApart: boolean;
  isLoaded: boolean;
  error: string | undefined;
};

export const useModels = create<ModelsState>(() => ({
  models: [],
  listed: [],
  defaults: { transcribe: {}, translate: {}, speak: {}, speakHd: {} },
  tellsSpeakersApart: true,
  isLoaded: false,
  error: undefined,
}));

export async function loadModels(): Promise<void> {
  try {
    const { models: listed, defaults, tellsSpeakersApart } = await call("listModels", {});
    useModels.setState({
      models: listed.filter(({ state }) => state === "ready"),
      listed,
      defaults,
      tellsSpeakersApart,
      isLoaded: true,
      error: undefined,
    });
  } catch (error) {
    useModels.setState({ error: messageOf(error) });
  }
}

/** Models for a picker: of that kind, or of unknown kind. */
export const modelsOfKind = (
  models: readonly ListedModel[],
  kind: "speech-to-text" | "text-to-speech",
) => models.filter((model) => model.kind === kind || model.kind === "unknown");

// Models of all channels, for pickers and the Models page. Read at first use and when channels change.

import { create } from "zustand";
import type { ListedModel } from "../../main/contract/window-api.ts";
import { call } from "../api/client.ts";
import { messageOf } from "../api/error.ts";

export const useModels = create<{
  models: readonly ListedModel[];
  isLoaded: boolean;
  error: string | undefined;
}>(() => ({ models: [], isLoaded: false, error: undefined }));

export async function loadModels(): Promise<void> {
  try {
    useModels.setState({
      models: (await call("listModels", {})).models.filter(({ state }) => state === "ready"),
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

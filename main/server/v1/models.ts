// GET /v1/models, /v1/models/{id} and /v1/audio/models. Clients poll the list, so its bytes are cached until the
// registry returns another list.

import type { Registry } from "../../channels/registry.ts";
import { AppError } from "../../contract/errors.ts";
import type { ModelList } from "../../contract/openai.ts";
import type { ModelInfo } from "../../contract/models.ts";

export interface ModelRoutes {
  list(): Response;
  /** `path` is the id as in the URL: slashes raw or escaped. */
  retrieve(path: string): Response;
  /** Models of the voices, in the format that Open WebUI requests. */
  listSpeechModels(): Response;
}

export function createModelRoutes(registry: Registry): ModelRoutes {
  let cachedModels: readonly ModelInfo[] | undefined;
  let cachedBody = "";
  return {
    list() {
      const models = registry.models();
      if (models !== cachedModels) {
        cachedBody = JSON.stringify({
          object: "list",
          data: models.map(toModelObject),
        } satisfies ModelList);
        cachedModels = models;
      }
      return new Response(cachedBody, { headers: { "content-type": "application/json" } });
    },
    retrieve(path) {
      const id = decodeModelId(path);
      const model = registry.model(id);
      if (model === undefined)
        throw new AppError(
          "model.unknown",
          { model: id.slice(0, 200), known: "" },
          { param: "model" },
        );
      return Response.json(toModelObject(model));
    },
    listSpeechModels() {
      const speaking = registry.models().filter(({ kind }) => kind === "text-to-speech");
      return Response.json({ models: speaking.map(({ id }) => ({ id, name: id })) });
    },
  };
}

const toModelObject = ({ id, created, ownedBy }: ModelInfo): ModelList["data"][number] => ({
  id,
  object: "model",
  created,
  owned_by: ownedBy,
});

function decodeModelId(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new AppError("request.modelEscaping", {}, { param: "model" });
  }
}

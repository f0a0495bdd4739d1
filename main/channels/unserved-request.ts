// Errors for a model or a voice that no channel has. The messages list the available ones.

import { AppError } from "../contract/errors.ts";
import { createMessage } from "../contract/messages/messages.ts";
import type { ModelKind } from "./attempt-plan.ts";
import type { Offer, Registry } from "./registry.ts";

export function unknownVoiceError(offers: readonly Offer[], requestedVoice: string): AppError {
  const names = new Set(
    offers.flatMap(({ channel }) => channel.voices().map(({ id }) => `'${id}'`)),
  );
  return new AppError(
    "voice.unsupported",
    { voices: [...names].join(", "), voice: requestedVoice.slice(0, 40) },
    { param: "voice" },
  );
}

/** A provider may have hundreds of models. */
const maxListedModels = 20;

export function unknownModelError(registry: Registry, id: string, kind: ModelKind): AppError {
  const [missing] = registry.channels().flatMap(({ channel }) => channel.whyMissing?.(id) ?? []);
  if (missing !== undefined) return missing;
  const others = registry
    .models()
    .filter((model) => model.kind === kind)
    .map((model) => `'${model.id}'`);
  const models = others.slice(0, maxListedModels).join(", ");
  const more = others.length - maxListedModels;
  const known =
    others.length === 0
      ? ""
      : more > 0
        ? createMessage("model.knownAndMore", { models, more })
        : createMessage("model.known", { models });
  const match = registry.model(id);
  if (match === undefined || match.kind === "unknown")
    return new AppError("model.unknown", { model: id.slice(0, 200), known }, { param: "model" });
  return new AppError(
    match.kind === "speech-to-text" ? "model.forTranscription" : "model.forSpeech",
    { model: id, known },
    { param: "model" },
  );
}

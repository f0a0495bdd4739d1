// Errors for a model or a voice that no channel has. The messages list the available ones.

import { AppError } from "../contract/errors.ts";
import { createMessage } from "../contract/messages/messages.ts";
import { listVoices, quoteVoices } from "../contract/voice-names.ts";
import type { ModelKind } from "./attempt-plan.ts";
import type { Offer, Registry } from "./registry.ts";

export function unknownVoiceError(offers: readonly Offer[], requestedVoice: string): AppError {
  const ids = new Set(offers.flatMap(({ channel }) => channel.voices().map(({ id }) => id)));
  const near = nearNames(requestedVoice.slice(0, 200), [...ids]);
  return new AppError(
    "voice.unsupported",
    {
      voices: listVoices([...ids]),
      voice: requestedVoice.slice(0, 40),
      near: near.length === 0 ? "" : createMessage("voice.near", { names: quoteVoices(near) }),
    },
    { param: "voice" },
  );
}

const maxNearNames = 3;

/** Voices that a misspelled one may mean; of a blend, what its unknown parts may mean. */
function nearNames(voice: string, ids: readonly string[]): string[] {
  const unknown = voice
    .toLowerCase()
    .split(/[^\w.-]+/)
    .filter((name) => name.length > 2 && !ids.includes(name));
  return ids.filter((id) => unknown.some((name) => isNear(name, id))).slice(0, maxNearNames);
}

/** Names that differ in one or two letters at most, with what tells their language and gender or without it. */
function isNear(name: string, id: string): boolean {
  const [ownName, ownId] = [name, id].map((each) => each.replace(/^[a-z]{2}_/, ""));
  return isAlmost(name, id) || isAlmost(ownName ?? "", ownId ?? "");
}

const isAlmost = (one: string, other: string): boolean =>
  Math.abs(one.length - other.length) <= 2 &&
  Math.max(one.length, other.length) - commonLetters(one, other) <= Math.min(2, one.length / 4);

/** Length of the longest common subsequence. */
function commonLetters(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const letter of one) {
    const next = [0];
    for (const [index, otherLetter] of Array.from(other).entries())
      next.push(
        letter === otherLetter
          ? (row[index] ?? 0) + 1
          : Math.max(next[index] ?? 0, row[index + 1] ?? 0),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
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

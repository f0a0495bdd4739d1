// Aliases (names that OpenAI's clients use) and their models. Pure. The models of an alias are in the order in which
// they are tried; the alias itself stands for the built-in model, and an empty list means the built-in model alone.

import type { AliasName, Routing } from "../../../main/contract/channels.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import type { ModelEntry } from "./model-list.ts";

export const aliasKinds: Record<AliasName, ListedModel["kind"]> = {
  "whisper-1": "speech-to-text",
  "tts-1": "text-to-speech",
  "tts-1-hd": "text-to-speech",
  "gpt-4o-transcribe-diarize": "speech-to-text",
};

/** Has at least one entry. */
export function aliasTargets(routing: Routing, alias: AliasName): readonly string[] {
  const list = routing.aliases[alias] ?? [];
  return list.length === 0 ? [alias] : list;
}

const withTargets = (routing: Routing, alias: AliasName, targets: readonly string[]): Routing => ({
  ...routing,
  aliases: {
    ...routing.aliases,
    [alias]: targets.length === 1 && targets[0] === alias ? [] : [...new Set(targets)],
  },
});

/** Sets the first model. If the built-in model was first, it becomes the fallback; any other is dropped. */
export function withFirstTarget(routing: Routing, alias: AliasName, model: string): Routing {
  const [first, ...rest] = aliasTargets(routing, alias);
  return withTargets(routing, alias, [
    model,
    ...(first === alias ? [first] : []),
    ...rest.filter((each) => each !== model),
  ]);
}

/**
 * Sets the model at an index of the list (0 is the first) and removes it from its previous position.
 * @param model undefined removes the entry at that index; later ones move up
 */
export function withFallbackAt(
  routing: Routing,
  alias: AliasName,
  index: number,
  model: string | undefined,
): Routing {
  const targets = aliasTargets(routing, alias);
  const before = targets.slice(0, index).filter((each) => each !== model);
  const after = targets.slice(index + 1).filter((each) => each !== model);
  return withTargets(routing, alias, [
    ...before,
    ...(model === undefined ? [] : [model]),
    ...after,
  ]);
}

/** Aliases that resolve to a model, first or as a fallback; includes models that belong to the built-in name. */
export function aliasesOfModel(
  routing: Routing,
  { id, channel }: Pick<ListedModel, "id" | "channel">,
  models: readonly ListedModel[],
): AliasName[] {
  const isBuiltInOf = (name: AliasName): boolean =>
    channel === "local" &&
    models.some(
      (model) =>
        model.id === name &&
        model.channel === "local" &&
        model.memory?.some((each) => each.model === id) === true,
    );
  return (Object.keys(aliasKinds) as AliasName[]).filter((alias) =>
    aliasTargets(routing, alias).some(
      (target) => target === id || (target === alias && isBuiltInOf(alias)),
    ),
  );
}

/** Names under which clients get a model: its own at each channel, and the aliases that lead to it. */
export const clientNames = (
  { offers }: Pick<ModelEntry, "offers">,
  routing: Routing | undefined,
  models: readonly ListedModel[],
): string[] => [
  ...new Set([
    ...offers.map(({ id }) => id),
    ...(routing === undefined
      ? []
      : offers.flatMap((offer) => aliasesOfModel(routing, offer, models))),
  ]),
];

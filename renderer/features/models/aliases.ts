// The names every program knows and the models they lead to. Pure. A list holds models in the order they are asked;
// in it a name's own id is the built-in model, and no list is the built-in model alone.

import type { AliasName, Routing } from "../../../main/contract/channels.ts";
import type { ModelDetails } from "../../../main/contract/studio-api.ts";
import type { ModelKind } from "./model-list.ts";

export const aliasKinds: Record<AliasName, ModelKind> = {
  "whisper-1": "speech-to-text",
  "tts-1": "text-to-speech",
  "tts-1-hd": "text-to-speech",
};

/** At least one. */
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

/** What is asked first. The built-in model, where it stood there, is asked when that fails; any other is let go. */
export function withFirstTarget(routing: Routing, alias: AliasName, model: string): Routing {
  const [first, ...rest] = aliasTargets(routing, alias);
  return withTargets(routing, alias, [
    model,
    ...(first === alias ? [first] : []),
    ...rest.filter((each) => each !== model),
  ]);
}

/**
 * What is asked at a place of the list, the first being at 0. Where it stood elsewhere in the list, it is taken from there.
 * @param model undefined takes away what is at that place; those behind it move up
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

/** The names that lead to a model, first or later; also where it is one of those that work under the built-in name. */
export function aliasesOfModel(
  routing: Routing,
  { id, channel }: Pick<ModelDetails, "id" | "channel">,
  models: readonly ModelDetails[],
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

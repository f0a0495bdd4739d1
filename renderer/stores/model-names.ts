// Names of models as people read them. The names of OpenAI's clients stand for what they take on this machine.

import type { ListedModel, ModelDefaults } from "../../main/contract/window-api.ts";
import { t } from "../messages/messages.ts";
import { modelsOfKind } from "./models.ts";

type KnownModels = { readonly models: readonly ListedModel[]; readonly defaults: ModelDefaults };
export type ModelGroup = {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
};

const local = "local";
/** More would not fit into a picker. */
const maxTakenNames = 2;
const automaticModels = new Map<
  string,
  { key: "automatic" | "fast" | "best"; kind: keyof ModelDefaults }
>([
  ["whisper-1", { key: "automatic", kind: "transcribe" }],
  ["tts-1", { key: "fast", kind: "speak" }],
  ["tts-1-hd", { key: "best", kind: "speakHd" }],
]);

const ownName = (id: string, { models }: KnownModels): string =>
  models.find((model) => model.id === id && model.channel === local)?.name ?? id;

/** Without what it takes, where there is little room. */
export function briefModelName(id: string, known: KnownModels): string {
  const automatic = automaticModels.get(id);
  return automatic === undefined ? ownName(id, known) : t(`frame.model.${automatic.key}`);
}

/** A model of this machine, such as "Automatic (Moonshine, Whisper base)". */
export function modelName(id: string, known: KnownModels): string {
  const automatic = automaticModels.get(id);
  const taken = automatic && [...new Set(Object.values(known.defaults[automatic.kind]))];
  const name = briefModelName(id, known);
  if (taken === undefined || taken.length === 0 || taken.length > maxTakenNames) return name;
  const names = taken.map((takenId) => ownName(takenId, known)).join(", ");
  return t("frame.model.taken", { name, names });
}

/** For a picker: those of this machine, then those of each channel by the names of its API. */
export const modelGroups = (
  known: KnownModels,
  kind: "speech-to-text" | "text-to-speech",
): ModelGroup[] =>
  [...Map.groupBy(modelsOfKind(known.models, kind), ({ channel }) => channel)].map(
    ([channel, models]) =>
      channel === local
        ? {
            label: t("frame.model.here"),
            options: models.map(({ id }) => ({ id, name: modelName(id, known) })),
          }
        : { label: channel, options: models.map(({ id }) => ({ id, name: id })) },
  );

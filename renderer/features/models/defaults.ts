// What the names fixed in OpenAI's clients take on this machine, by language. Pure.

import type { ModelChoices } from "../../../main/contract/preferences.ts";
import type { ListedModel, ModelDefaults } from "../../../main/contract/window-api.ts";
import { languagesForTask, type ModelTask } from "./model-tasks.ts";

export const defaultKinds = ["transcribe", "translate", "speak", "speakHd"] as const;
export type DefaultKind = (typeof defaultKinds)[number];

/** Key of the choice for all languages without their own. */
export const otherLanguages = "other";

export const taskOf = (kind: DefaultKind): ModelTask => (kind === "speakHd" ? "speak" : kind);

const knows = (model: ListedModel, task: ModelTask, language: string): boolean => {
  const languages = languagesForTask(model, task);
  return Array.isArray(languages) && (language === otherLanguages || languages.includes(language));
};

/** Models on this machine that can be chosen for a language. */
export const choicesFor = (
  models: readonly ListedModel[],
  kind: DefaultKind,
  language: string,
): ListedModel[] =>
  models.filter(
    (model) =>
      model.channel === "local" &&
      model.family !== undefined &&
      knows(model, taskOf(kind), language),
  );

/** Languages with a row of their own: English, those chosen for, and those about to be; then all others. */
export const rowsOf = (
  kind: DefaultKind,
  chosen: Readonly<Record<string, string>>,
  added: readonly string[],
): string[] => [
  ...new Set(
    [...(kind === "translate" ? [] : ["en"]), ...Object.keys(chosen), ...added].filter(
      (code) => code !== otherLanguages,
    ),
  ),
  otherLanguages,
];

/**
 * Models that serve a row as the app chooses: for all other languages, those of each language without a row.
 * @param taken language → id
 */
export function takenModels(
  taken: Readonly<Record<string, string>>,
  language: string,
  rows: readonly string[],
): string[] {
  const unlisted = Object.keys(taken).filter((code) => !rows.includes(code));
  const languages = language === otherLanguages && unlisted.length > 0 ? unlisted : [language];
  const ids = languages.flatMap((code) => taken[code] ?? taken[otherLanguages] ?? []);
  return [...new Set(ids)];
}

/** @param id undefined: as the app chooses */
export function withChoice(
  choices: ModelChoices,
  kind: DefaultKind,
  language: string,
  id: string | undefined,
): ModelChoices {
  const { [language]: _, ...others } = choices[kind];
  return { ...choices, [kind]: id === undefined ? others : { ...others, [language]: id } };
}

/** Languages in which it is the default for anything, without `other`. */
export const defaultLanguages = (id: string, defaults: ModelDefaults): string[] => [
  ...new Set(
    defaultKinds.flatMap((kind) =>
      Object.entries(defaults[kind])
        .filter(([code, model]) => model === id && code !== otherLanguages)
        .map(([code]) => code),
    ),
  ),
];

/** Languages that no other model on this machine transcribes, or speaks. */
export function lostLanguages(model: ListedModel, models: readonly ListedModel[]): string[] {
  const others = models.filter(
    ({ id, channel, kind, family }) =>
      id !== model.id && channel === "local" && kind === model.kind && family !== undefined,
  );
  return (model.languages ?? []).filter(
    (code) => !others.some(({ languages }) => languages?.includes(code)),
  );
}

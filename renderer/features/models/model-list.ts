// Filters the list of models. Pure.

import type { ListedModel } from "../../../main/contract/window-api.ts";

export const kinds = ["speech-to-text", "text-to-speech", "unknown"] as const;
export type ModelKind = (typeof kinds)[number];

/** Empty: any. */
export type ModelFilter = {
  readonly kind: ModelKind | "";
  readonly channel: string;
  readonly language: string;
  readonly text: string;
};
export const noFilter: ModelFilter = { kind: "", channel: "", language: "", text: "" };

/** Several channels may offer the same model id. */
export const rowKey = ({ id, channel }: ListedModel): string => `${channel}\n${id}`;

/** A model without a list of languages may know any. All words of `text` must match. */
export function filterModels(
  models: readonly ListedModel[],
  { kind, channel, language, text }: ModelFilter,
): ListedModel[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return models.filter(
    (model) =>
      (kind === "" || model.kind === kind) &&
      (channel === "" || model.channel === channel) &&
      (language === "" || model.languages === undefined || model.languages.includes(language)) &&
      words.every((word) =>
        `${model.id} ${model.ownedBy} ${model.channel} ${model.licence ?? ""}`
          .toLowerCase()
          .includes(word),
      ),
  );
}

/** Channels with their model prefix, if they have one. */
export const channelsOf = (
  models: readonly ListedModel[],
): { channel: string; prefix: string | undefined }[] =>
  [...new Map(models.map(({ channel, prefix }) => [channel, prefix]))].map(([channel, prefix]) => ({
    channel,
    prefix,
  }));

export const languagesOf = (models: readonly ListedModel[]): string[] => [
  ...new Set(models.flatMap(({ languages = [] }) => languages)),
];

/** Distinct ids of models of that kind or of unknown kind. */
export const modelIdsOfKind = (models: readonly ListedModel[], kind: ModelKind): string[] => [
  ...new Set(
    models.filter((model) => model.kind === kind || model.kind === "unknown").map(({ id }) => id),
  ),
];

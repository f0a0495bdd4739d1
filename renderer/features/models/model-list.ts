// The list of models: one entry for each model with the names that clients may use for it, filtered and sorted. Pure.

import { isBuiltInName } from "../../../main/contract/channels.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { languagesForTask, type ModelTask } from "./model-tasks.ts";
import { bySuitability, comparableRate } from "./recommendation.ts";

export const places = ["here", "available", "channel"] as const;
export type Place = (typeof places)[number];

export type ModelEntry = {
  readonly key: string;
  readonly title: string;
  /** Where it is: on this machine, to be had, or only on channels. */
  readonly place: Place;
  /** What is known of it. */
  readonly model: ListedModel;
  /** Each name that clients may use for it at a channel; empty for a model that cannot serve requests. */
  readonly offers: readonly ListedModel[];
};

export const orders = ["suitability", "accuracy", "speed", "size", "name"] as const;
export type ModelOrder = (typeof orders)[number];

/** Empty: any. */
export type ModelFilter = {
  readonly task: ModelTask | "";
  readonly place: Place | "";
  readonly language: string;
  readonly text: string;
};
export const noFilter: ModelFilter = { task: "", place: "", language: "", text: "" };

/** Without the channel's prefix and the publisher: `openai/whisper-large-v3` is `whisper-large-v3`. */
function bareName({ id, prefix }: ListedModel): string {
  const own =
    prefix === undefined || !id.startsWith(`${prefix}/`) ? id : id.slice(prefix.length + 1);
  return own.slice(own.lastIndexOf("/") + 1);
}

/** Names that stand for models of this machine have no entry of their own; the names of channels may mean any model. */
export function groupModels(models: readonly ListedModel[]): ModelEntry[] {
  const entries = new Map<string, ModelEntry>();
  for (const model of models) {
    const isLocal = model.channel === "local";
    if (isLocal && isBuiltInName(model.id)) continue;
    const bare = isLocal ? model.id : bareName(model);
    const key = isBuiltInName(bare) ? `${model.channel}\n${bare}` : bare.toLowerCase();
    const known = entries.get(key);
    const offers = [...(known?.offers ?? []), ...(model.state === "ready" ? [model] : [])];
    entries.set(
      key,
      // A channel says less about a model than the catalog.
      known === undefined || (known.place === "channel" && isLocal)
        ? {
            key,
            title: model.name ?? bare,
            place: !isLocal ? "channel" : model.state === "available" ? "available" : "here",
            model,
            offers,
          }
        : { ...known, offers },
    );
  }
  return [...entries.values()];
}

const isOffered = (offers: readonly ListedModel[], place: Place): boolean =>
  place === "channel" && offers.some(({ channel }) => channel !== "local");

/** Whether one of a model's channels does what is asked for. A model without a list of languages may know any. */
function matches({ title, place, model, offers }: ModelEntry, filter: ModelFilter): boolean {
  const { task, language } = filter;
  const languages = task === "" ? model.languages : languagesForTask(model, task);
  const words = filter.text.toLowerCase().split(/\s+/);
  const text = [title, model, ...offers]
    .flatMap((each) =>
      typeof each === "string" ? each : [each.id, each.ownedBy, each.channel, each.licence ?? ""],
    )
    .join(" ")
    .toLowerCase();
  return (
    (filter.place === "" || place === filter.place || isOffered(offers, filter.place)) &&
    (task === "" || languages !== undefined || model.kind === "unknown") &&
    (language === "" ||
      languages === undefined ||
      languages === "any" ||
      languages.includes(language)) &&
    words.every((word) => text.includes(word))
  );
}

export const filterModels = (entries: readonly ModelEntry[], filter: ModelFilter): ModelEntry[] =>
  entries.filter((entry) => matches(entry, filter));

const last = Number.POSITIVE_INFINITY;

const kindOrder = ["speech-to-text", "text-to-speech", "unknown"];
const knows = ({ model: { languages } }: ModelEntry, language: string): boolean =>
  languages?.includes(language) ?? true;

/** @param language the one whose accuracy counts, as far as it was tested alike */
export function sortModels(
  entries: readonly ModelEntry[],
  order: ModelOrder,
  language: string,
): ModelEntry[] {
  const byName = (one: ModelEntry, other: ModelEntry): number =>
    one.title.localeCompare(other.title);
  const byFigure =
    (figure: (model: ListedModel) => number | undefined) =>
    (one: ModelEntry, other: ModelEntry): number => {
      const [a, b] = [figure(one.model) ?? last, figure(other.model) ?? last];
      return a === b ? byName(one, other) : a - b;
    };
  if (order === "name") return entries.toSorted(byName);
  if (order === "size") return entries.toSorted(byFigure(({ sizeBytes }) => sizeBytes));
  if (order === "speed")
    return entries.toSorted(
      byFigure(({ measured }) => (measured?.speed === undefined ? undefined : -measured.speed)),
    );
  const models = entries.map(({ model }) => model);
  if (order === "accuracy") return entries.toSorted(byFigure(comparableRate(models, language)));
  const compare = bySuitability(models, language);
  return entries.toSorted(
    (one, other) =>
      places.indexOf(one.place) - places.indexOf(other.place) ||
      Number(!knows(one, language)) - Number(!knows(other, language)) ||
      kindOrder.indexOf(one.model.kind) - kindOrder.indexOf(other.model.kind) ||
      compare(one.model, other.model) ||
      byName(one, other),
  );
}

export const languagesOf = (models: readonly ListedModel[]): string[] => [
  ...new Set(models.flatMap(({ languages = [] }) => languages)),
];

/** Distinct ids of models of that kind or of unknown kind. */
export const modelIdsOfKind = (
  models: readonly ListedModel[],
  kind: ListedModel["kind"],
): string[] => [
  ...new Set(
    models.filter((model) => model.kind === kind || model.kind === "unknown").map(({ id }) => id),
  ),
];

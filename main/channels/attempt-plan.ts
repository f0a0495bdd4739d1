// Who could serve a model's name, best first: what an alias points at, the channels' priorities and weights, and
// whether this machine or the cloud is preferred. Whether a channel is up is not asked here.

import { aliasNames, type AliasName, type Routing } from "../contract/channels.ts";
import type { ModelInfo } from "../contract/speech.ts";
import type { Offer, RegisteredChannel, Registry } from "./registry.ts";

/** What a request is for. */
export type ModelKind = Exclude<ModelInfo["kind"], "unknown">;

export type PlanDeps = {
  registry: Registry;
  routing: Routing;
  /** 0 to 1, without 1. */
  random(): number;
};

/** @returns each offer once; empty where nothing of that name does this */
export function planAttempts(deps: PlanDeps, model: string, kind: ModelKind): readonly Offer[] {
  const { registry, routing } = deps;
  const offersOf = (id: string): Offer[] =>
    orderByPriorityAndLoad(
      registry.offers(id).filter((offer) => supportsKind(offer, kind)),
      deps.random,
    );
  if (!isAlias(model)) return offersOf(model);
  const aliasOffers = [...new Set(routing.aliases[model])].flatMap((id) => offersOf(id));
  const plan = aliasOffers.length === 0 ? offersOf(model) : aliasOffers;
  if (routing.prefer === "listed") return plan;
  const localOffers = selectLocalOrRemote(deps, plan, true, model, kind);
  const cloudOffers = selectLocalOrRemote(deps, plan, false, model, kind);
  const isCloudFirst =
    routing.prefer === "cloud" || localOffers.some(({ channel }) => channel.isBusy());
  return isCloudFirst ? [...cloudOffers, ...localOffers] : [...localOffers, ...cloudOffers];
}

const isAlias = (model: string): model is AliasName => aliasNames.some((name) => name === model);

/** A model whose kind is not known gets its chance. */
const supportsKind = ({ info }: Offer, kind: ModelKind): boolean =>
  info.kind === kind || info.kind === "unknown";

/** The plan's offers of this machine or of the others; where it has none, those that can be found. */
function selectLocalOrRemote(
  { registry, random }: PlanDeps,
  plan: readonly Offer[],
  isLocal: boolean,
  alias: AliasName,
  kind: ModelKind,
): readonly Offer[] {
  const plannedOffers = plan.filter(({ channel }) => channel.isLocal === isLocal);
  if (plannedOffers.length > 0) return plannedOffers;
  const channels = registry.channels().filter(({ channel }) => channel.isLocal === isLocal);
  return orderByPriorityAndLoad(
    channels.flatMap((registered) => findSubstitute(registry, registered, alias, kind) ?? []),
    random,
  );
}

/** The alias's own name if the channel has it, else its first model of the kind. */
function findSubstitute(
  registry: Registry,
  registered: RegisteredChannel,
  alias: AliasName,
  kind: ModelKind,
): Offer | undefined {
  const models = registered.channel.models();
  const chosen =
    models.find(({ id }) => id === alias) ?? models.find((model) => model.kind === kind);
  if (chosen === undefined) return undefined;
  const id = registered.prefix === undefined ? chosen.id : `${registered.prefix}/${chosen.id}`;
  return registry.offers(id).find((offer) => offer.registered === registered);
}

/**
 * By priority; among equals the one with least to do for its weight; where that is the same, drawn one after the
 * other, each by its weight among those that are left. The smallest of waits with rates proportional to the weights is
 * such a draw (Efraimidis and Spirakis, 2006).
 */
function orderByPriorityAndLoad(offers: readonly Offer[], random: () => number): Offer[] {
  return offers
    .map((offer) => {
      const { priority, weight, health } = offer.registered;
      return {
        offer,
        priority,
        load: health.inFlightCount() / weight,
        drawKey: -Math.log(1 - random()) / weight,
      };
    })
    .sort(
      (one, other) =>
        one.priority - other.priority || one.load - other.load || one.drawKey - other.drawKey,
    )
    .map(({ offer }) => offer);
}

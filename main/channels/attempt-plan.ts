// Orders the offers for a model name, best first, by aliases, priorities, weights, and preference for local or cloud.
// Ignores the channels' health.

import { type AliasName, isAliasName, type Routing, nameFallbacks } from "../contract/channels.ts";
import type { ModelInfo } from "../contract/models.ts";
import type { Offer, RegisteredChannel, Registry } from "./registry.ts";

/** Kind of model that a request needs. */
export type ModelKind = Exclude<ModelInfo["kind"], "unknown">;

export type PlanDeps = {
  registry: Registry;
  routing: Routing;
  /** In [0, 1). */
  random(): number;
};

/** @returns each offer once; empty if no channel has such a model */
export function planAttempts(deps: PlanDeps, model: string, kind: ModelKind): readonly Offer[] {
  const { registry, routing } = deps;
  function offersOf(id: string): Offer[] {
    const offers = registry.offers(id).filter((offer) => supportsKind(offer, kind));
    const fallback = nameFallbacks.get(id);
    return offers.length === 0 && fallback !== undefined
      ? offersOf(fallback)
      : orderByPriorityAndLoad(offers, deps.random);
  }
  if (!isAliasName(model)) return offersOf(model);
  const aliasOffers = [...new Set(routing.aliases[model])].flatMap((id) => offersOf(id));
  const plan = aliasOffers.length === 0 ? offersOf(model) : aliasOffers;
  if (routing.prefer === "listed") return plan;
  const localOffers = selectLocalOrRemote(deps, plan, true, model, kind);
  const cloudOffers = selectLocalOrRemote(deps, plan, false, model, kind);
  const isCloudFirst =
    routing.prefer === "cloud" || localOffers.some(({ channel }) => channel.isBusy());
  return isCloudFirst ? [...cloudOffers, ...localOffers] : [...localOffers, ...cloudOffers];
}

/** A model of unknown kind is tried too. */
const supportsKind = ({ info }: Offer, kind: ModelKind): boolean =>
  info.kind === kind || info.kind === "unknown";

/** The plan's offers on one side, local or remote; if it has none, substitutes from that side. */
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
 * Sorts by priority, then by load relative to weight. Ties are drawn at random without replacement, by weight: the
 * smallest of exponential waiting times with rates proportional to the weights (Efraimidis and Spirakis, 2006).
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

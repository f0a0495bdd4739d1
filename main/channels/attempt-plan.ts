// Who could serve a model's name, best first: what an alias points at, the channels' priorities and weights, and
// whether this machine or the cloud is preferred. Whether a channel is up is not asked here.

import { aliasNames, type AliasName, type Routing } from "../contract/channels.ts";
import type { ModelInfo } from "../contract/speech.ts";
import type { Offer, RegisteredChannel, Registry } from "./registry.ts";

/** What a request is for. */
export type Kind = Exclude<ModelInfo["kind"], "unknown">;

export type PlanDeps = {
  registry: Registry;
  routing: Routing;
  /** 0 to 1, without 1. */
  random(): number;
};

/** @returns each offer once; empty where nothing of that name does this */
export function planAttempts(deps: PlanDeps, model: string, kind: Kind): readonly Offer[] {
  const { registry, routing } = deps;
  const offersOf = (id: string): Offer[] =>
    spread(
      registry.offers(id).filter((offer) => mayDo(offer, kind)),
      deps.random,
    );
  if (!isAlias(model)) return offersOf(model);
  const listed = [...new Set(routing.aliases[model])].flatMap((id) => offersOf(id));
  const plan = listed.length === 0 ? offersOf(model) : listed;
  if (routing.prefer === "listed") return plan;
  const here = oneSide(deps, plan, true, model, kind);
  const cloud = oneSide(deps, plan, false, model, kind);
  const hereLater = routing.prefer === "cloud" || here.some(({ channel }) => channel.isBusy());
  return hereLater ? [...cloud, ...here] : [...here, ...cloud];
}

const isAlias = (model: string): model is AliasName => aliasNames.some((name) => name === model);

/** A model whose kind is not known gets its chance. */
const mayDo = ({ info }: Offer, kind: Kind): boolean =>
  info.kind === kind || info.kind === "unknown";

/** The plan's offers of this machine or of the others; where it has none, those that can be found. */
function oneSide(
  { registry, random }: PlanDeps,
  plan: readonly Offer[],
  isLocal: boolean,
  alias: AliasName,
  kind: Kind,
): readonly Offer[] {
  const planned = plan.filter(({ channel }) => channel.isLocal === isLocal);
  if (planned.length > 0) return planned;
  const channels = registry.channels().filter(({ channel }) => channel.isLocal === isLocal);
  return spread(
    channels.flatMap((registered) => substitute(registry, registered, alias, kind) ?? []),
    random,
  );
}

/** The alias's own name if the channel has it, else its first model of the kind. */
function substitute(
  registry: Registry,
  registered: RegisteredChannel,
  alias: AliasName,
  kind: Kind,
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
function spread(offers: readonly Offer[], random: () => number): Offer[] {
  return offers
    .map((offer) => {
      const { priority, weight, health } = offer.registered;
      return {
        offer,
        priority,
        load: health.underWay() / weight,
        wait: -Math.log(1 - random()) / weight,
      };
    })
    .sort(
      (one, other) =>
        one.priority - other.priority || one.load - other.load || one.wait - other.wait,
    )
    .map(({ offer }) => offer);
}

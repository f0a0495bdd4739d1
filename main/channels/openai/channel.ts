// A provider that speaks the OpenAI audio interface, as a channel. It tries once and holds nothing but its
// connections and its list of models; see live-channel.ts for when the list is refreshed.

import { isDeepStrictEqual } from "node:util";
import type { ChannelConfig } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { ModelInfo } from "../../contract/speech.ts";
import type { Log } from "../../log.ts";
import type { Channel } from "../../contract/channel.ts";
import { createUpstreamClient } from "./client.ts";
import { transcribeUpstream } from "./transcribe.ts";
import { createModelFilter, kindByName, listModels } from "./model-list.ts";
import { synthesizeUpstream } from "./synthesize.ts";

export type OpenAiChannelOptions = {
  config: ChannelConfig;
  /** Read anew for each request. */
  key(): string | undefined;
  /** Of this gateway, so that it knows its own requests when they come back. */
  instanceId: string;
  log: Log;
};

export interface OpenAiChannel extends Channel {
  /** Asks the provider for its models. Where that fails the last list stays, and the failure is thrown. */
  refresh(signal: AbortSignal): Promise<void>;
  /** When the list last came (Unix milliseconds), and why the latest attempt failed, if it did: `isKeyRefused` where it answers, but not to this key. */
  readonly listState: { atMs?: number; error?: string; isKeyRefused?: boolean };
  /** Where the provider is a gateway of our kind, its name and those of the gateways behind it. */
  readonly upstreamGateways: readonly string[];
}

export function createOpenAiChannel({
  config,
  key,
  instanceId,
  log,
}: OpenAiChannelOptions): OpenAiChannel {
  const { name, baseUrl, limits, modelNames, voiceNames, modelFilter } = config;
  const client = createUpstreamClient({ name, baseUrl, limits, key, instanceId });
  const matchesFilter = createModelFilter(modelFilter);
  let models = mergeModels([]);
  let listed: OpenAiChannel["listState"] = {};
  let upstreamGateways: readonly string[] = [];

  /** What the provider lists, after the filter, and the names people gave to models of it. */
  function mergeModels(listedModels: readonly ModelInfo[]): readonly ModelInfo[] {
    const named = Object.entries(modelNames).map(([id, providerId]): ModelInfo => {
      const match = listedModels.find((model) => model.id === providerId);
      return { ...(match ?? { created: 0, ownedBy: name, kind: kindByName(providerId) }), id };
    });
    const others = listedModels
      .filter(({ id }) => matchesFilter(id))
      .map((model) => ({ ...model, ownedBy: model.ownedBy === "" ? name : model.ownedBy }));
    // A name people gave stands before the provider's own, and nothing is listed twice.
    return [...new Map([...others, ...named].map((model) => [model.id, model])).values()];
  }

  return {
    name,
    isLocal: false,
    models: () => models,
    voices: () => [],
    isBusy: () => false,
    get upstreamGateways() {
      return upstreamGateways;
    },
    get listState() {
      return listed;
    },
    async refresh(signal) {
      try {
        const listing = await listModels(client, signal);
        if (listing.upstreamGateways.includes(instanceId))
          throw new AppError("channel_loop", `The channel '${name}' leads back to this gateway.`);
        const latest = mergeModels(listing.models);
        ({ upstreamGateways } = listing);
        if (!isDeepStrictEqual(latest, models)) models = latest;
        listed = { atMs: Date.now() };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log.info({ channel: name, err: error }, "the list of models did not come");
        // What stands in a circle is not to be asked.
        if (error.key === "channel_loop") models = mergeModels([]);
        listed = {
          ...listed,
          error: error.message,
          isKeyRefused: error.row.status === 401 || error.row.status === 403,
        };
        throw error;
      }
    },
    transcribe: (job, signal) =>
      transcribeUpstream(client, mapName(modelNames, job.model), job, signal),
    synthesize: (job, signal) =>
      synthesizeUpstream(
        client,
        { model: mapName(modelNames, job.model), voice: mapName(voiceNames, job.voice) },
        job,
        signal,
      ),
    close: () => client.close(),
  };
}

/** A name without an entry is the provider's own. */
const mapName = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? names[name]! : name;

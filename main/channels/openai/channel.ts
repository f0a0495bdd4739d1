// A channel for a provider with OpenAI's audio API. Tries once; its only state is connections and the model list. See
// ../config/channel-refresher.ts for refreshing that list.

import { isDeepStrictEqual } from "node:util";
import type { ChannelConfig } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import type { SentMessage } from "../../contract/messages/messages.ts";
import type { ModelInfo } from "../../contract/models.ts";
import type { Log } from "../../log.ts";
import type { Outbound } from "../../network/outbound.ts";
import type { Channel } from "../../contract/channel.ts";
import { createUpstreamClient } from "./client.ts";
import { createRealtimeClient } from "./realtime.ts";
import { transcribeUpstream } from "./transcribe.ts";
import { createModelFilter, kindByName, listModels, type ModelListing } from "./model-list.ts";
import { synthesizeUpstream } from "./synthesize.ts";

export type OpenAiChannelOptions = {
  config: ChannelConfig;
  /** Read for each request. */
  key(): string | undefined;
  /** Of this gateway, to detect loops. */
  instanceId: string;
  outbound: Pick<Outbound, "guard" | "check" | "isBlocked" | "onChange" | "record">;
  log: Log;
  /** A channel of the same provider: its list of models is used until this one's arrives. */
  previous?: OpenAiChannel | undefined;
  /** Likewise, where there is no such channel: the list of the last run. */
  lastModels?: readonly ModelInfo[];
  /** Called when the provider's list has changed. */
  onModels?(models: readonly ModelInfo[]): void;
};

export interface OpenAiChannel extends Channel {
  /** Requests the model list. On failure the previous list stays, and this throws. */
  refresh(signal: AbortSignal): Promise<void>;
  /**
   * Time of the last successful list (Unix milliseconds), and the error of the latest attempt if it failed.
   * `isKeyRefused`: the provider responds, but rejects the key.
   */
  readonly listState: { atMs?: number; error?: SentMessage; isKeyRefused?: boolean };
  /** The provider's latest list, without filter. */
  readonly listing: ModelListing;
  /** Connections close when their requests have ended. Whoever still holds the channel may go on using it. */
  closeIdleConnections(): void;
}

const emptyListing: ModelListing = { models: [], upstreamGateways: [] };

export function createOpenAiChannel({
  config,
  key,
  instanceId,
  outbound,
  log,
  previous,
  lastModels = [],
  onModels = () => {},
}: OpenAiChannelOptions): OpenAiChannel {
  const { name, baseUrl, limits, modelNames, voiceNames, modelFilter } = config;
  const connection = { name, baseUrl, limits, key, instanceId, outbound };
  const client = createUpstreamClient(connection);
  const realtime = createRealtimeClient(connection);
  const matchesFilter = createModelFilter(modelFilter);
  let listing = previous?.listing ?? { ...emptyListing, models: lastModels };
  let models = mergeModels(listing.models);
  let listed = previous?.listState ?? {};

  function setListing(latest: ModelListing): void {
    const hasChanged = !isDeepStrictEqual(latest.models, listing.models);
    listing = latest;
    if (hasChanged) onModels(latest.models);
    const merged = mergeModels(latest.models);
    if (!isDeepStrictEqual(merged, models)) models = merged;
  }

  /** The provider's models after the filter, plus the configured names. */
  function mergeModels(listedModels: readonly ModelInfo[]): readonly ModelInfo[] {
    const named = Object.entries(modelNames).map(([id, providerId]): ModelInfo => {
      const match = listedModels.find((model) => model.id === providerId);
      return { ...(match ?? { created: 0, ownedBy: name, kind: kindByName(providerId) }), id };
    });
    const others = listedModels
      .filter(({ id }) => matchesFilter(id))
      .map((model) => ({ ...model, ownedBy: model.ownedBy === "" ? name : model.ownedBy }));
    // Configured names replace the provider's, and no id is listed twice.
    return [...new Map([...others, ...named].map((model) => [model.id, model])).values()];
  }

  return {
    name,
    isLocal: false,
    models: () => models,
    voices: () => [],
    isBusy: () => false,
    get listing() {
      return listing;
    },
    get listState() {
      return listed;
    },
    async refresh(signal) {
      try {
        const latest = await listModels(client, signal);
        if (latest.upstreamGateways.includes(instanceId))
          throw new AppError("channel.loop", { channel: name });
        setListing(latest);
        listed = { atMs: Date.now() };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log.info({ channel: name, err: error }, "the model list could not be loaded");
        // A channel in a loop must not be used.
        if (error.key === "channel_loop") setListing(emptyListing);
        listed = {
          ...listed,
          error: error.sent,
          isKeyRefused: error.row.status === 401 || error.row.status === 403,
        };
        throw error;
      }
    },
    transcribe: (job, signal, onSending) =>
      transcribeUpstream(client, mapName(modelNames, job.model), job, signal, onSending),
    synthesize: (job, signal, onSending) =>
      synthesizeUpstream(
        client,
        { model: mapName(modelNames, job.model), voice: mapName(voiceNames, job.voice) },
        job,
        signal,
        onSending,
      ),
    openRealtime: (model, request) => realtime.open(mapName(modelNames, model), request),
    closeIdleConnections: client.closeIdleConnections,
    async close() {
      realtime.close();
      await client.close();
    },
  };
}

/** A name without an entry is passed on unchanged. */
const mapName = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? names[name]! : name;

// Wires who serves requests: this machine and the configured providers, the router between them, and the records of
// what they did.

import { createChannels } from "../channels/config/channels.ts";
import { withLocalFirst } from "../channels/local-first.ts";
import { createRegistry } from "../channels/registry.ts";
import { createRouter, type RouterDeps } from "../channels/router.ts";
import { labelSpeakers } from "../inference/speaker-labels.ts";
import { createChannelWatcher } from "../jobs/channel-watcher.ts";
import { routing } from "../contract/channels.ts";
import type {
  SpeechChunk,
  SpeechJob,
  TranscriptionEvent,
  TranscriptionJob,
} from "../contract/speech.ts";
import { createUsageDays } from "../usage/daily-totals.ts";
import { createMetering } from "../usage/metering.ts";
import { createUsage } from "../usage/records.ts";
import { publishChannelsChanges, publishUsage } from "./event-publishing.ts";
import type { WiredEngines } from "./engines.ts";
import type { WiredLibrary } from "./library.ts";
import type { Foundation } from "./foundation.ts";
import type { WiredNetwork } from "./network.ts";
import type { WiredSettings } from "./settings.ts";

export type WiredChannels = ReturnType<typeof wireChannels>;

/** @param isOwnAddress whether a request to that address would come back to this app */
export function wireChannels(
  { settings, temp, events, log }: Foundation,
  { database }: WiredLibrary,
  { configuration, keys, providerKeys }: WiredSettings,
  { outbound }: WiredNetwork,
  { pool, vad, local, diarization }: WiredEngines,
  isOwnAddress: (url: URL) => boolean,
) {
  const libraryLog = log.child({ room: "library" });
  const usage = createUsage(database, libraryLog);
  const usageDays = createUsageDays(database, libraryLog);
  const metering = createMetering({
    usage: publishUsage(usage, events),
    prices: configuration.prices,
    budgets: { forKey: keys.budgetOf, spentUsd: usage.spentUsd },
  });
  const channels = publishChannelsChanges(
    createChannels({
      configuration,
      keys: providerKeys,
      instanceId: configuration.instanceId(),
      isOwnAddress,
      outbound,
      log: log.child({ room: "channels" }),
    }),
    events,
  );
  outbound.onChange(() => {
    // Closes the channels that are blocked now, or lists the models of those that no longer are.
    channels.registered();
    events.publish({ type: "channels" });
  });
  const registry = createRegistry(withLocalFirst(local, channels.registered));
  const routerDeps = {
    metering,
    voiceAliases: settings.voiceAliases,
    labelSpeakers: {
      check: diarization.check,
      label: (labelled, job, signal) => labelSpeakers(diarization, labelled, job, signal),
    },
    measureMediaSec: async (mediaPath, signal, { isExact } = { isExact: false }) =>
      (await pool.job(signal).run("duration", { mediaPath, isExact })).durationSec,
    splitSpeech: (part, signal) =>
      pool.job(signal).splitAudio(temp.path(), { ...part, fromSec: 0, vad }),
    tempDir: temp.path,
  } satisfies Partial<RouterDeps>;
  const router = createRouter({
    ...routerDeps,
    registry,
    routing: configuration.routing,
    blockedReason: channels.blockedReason,
  });
  // For callers without a key: no provider can serve them, whatever is configured.
  const localRouter = createRouter({
    ...routerDeps,
    registry: createRegistry(withLocalFirst(local, () => [])),
    routing: () => routing.parse({}),
  });
  const channelWatch = createChannelWatcher({ list: channels.list, events });
  const commandLine = {
    transcribe(job: TranscriptionJob, signal: AbortSignal): AsyncIterable<TranscriptionEvent> {
      router.checkTranscription(job);
      return router.transcribe(job, { caller: "command-line", signal });
    },
    synthesize(job: SpeechJob, signal: AbortSignal): AsyncIterable<SpeechChunk> {
      router.check(job.model, "text-to-speech");
      return router.synthesize(job, { caller: "command-line", signal });
    },
  };
  return {
    usage,
    usageDays,
    metering,
    channels,
    registry,
    router,
    localRouter,
    commandLine,
    channelWatch,
  };
}

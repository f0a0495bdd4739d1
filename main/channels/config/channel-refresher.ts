// A channel in use, and the timer that asks it for its models again and again. See channels.ts for which channels
// are in use; the channel itself keeps the list, or why it could not be had.

import type { ChannelConfig } from "../../contract/channels.ts";
import type { OpenAiChannel } from "../openai/channel.ts";

/** When lists of models are asked for, in milliseconds. */
export type RefreshPolicy = {
  readonly intervalMs: number;
  /** After a failure; doubles with each that follows, up to `intervalMs`. */
  readonly firstRetryMs: number;
  /** How soon a change made by another process is noticed. */
  readonly configPollMs: number;
};

/** Up to this share earlier, so that many gateways do not ask one provider at the same moment. */
const jitterShare = 0.2;

export type ChannelRefresher = {
  /** What the channel was made of. */
  readonly config: ChannelConfig;
  readonly channel: OpenAiChannel;
  /** Asks now, and from now on from time to time. A question under way is dropped for the new one. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves with the question under way; at once where there is none. Never rejects. */
  currentRefresh(): Promise<void>;
  /** Asks no more. The channel stays open. */
  stop(): void;
};

export type ChannelRefresherOptions = {
  config: ChannelConfig;
  channel: OpenAiChannel;
  policy: RefreshPolicy;
  /** The list came. */
  onModelsListed(): void;
};

export function createChannelRefresher({
  config,
  channel,
  policy,
  onModelsListed,
}: ChannelRefresherOptions): ChannelRefresher {
  let activeRequest: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let latestRefresh = Promise.resolve();

  async function requestModels(): Promise<void> {
    stop();
    const controller = new AbortController();
    activeRequest = controller;
    const hasSucceeded = await channel.refresh(controller.signal).then(
      () => true,
      () => false,
    );
    if (controller.signal.aborted) return;
    failures = hasSucceeded ? 0 : failures + 1;
    const delayMs = hasSucceeded
      ? policy.intervalMs
      : Math.min(policy.intervalMs, policy.firstRetryMs * 2 ** (failures - 1));
    timer = setTimeout(() => void refresh(), delayMs * (1 - jitterShare * Math.random()));
    // It is no reason for the process to stay.
    timer.unref();
    if (hasSucceeded) onModelsListed();
  }

  function refresh(): Promise<void> {
    latestRefresh = requestModels();
    return latestRefresh;
  }

  function stop(): void {
    clearTimeout(timer);
    activeRequest?.abort();
  }

  return { config, channel, refresh, currentRefresh: () => latestRefresh, stop };
}

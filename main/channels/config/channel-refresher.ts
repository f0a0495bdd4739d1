// An enabled channel with the timer that refreshes its model list. See channel-pool.ts for which channels are enabled;
// the channel itself stores the list or its error.

import type { OpenAiChannel } from "../openai/channel.ts";

/** When model lists are refreshed, in milliseconds. */
export type RefreshPolicy = {
  readonly intervalMs: number;
  /** Delay after a failure; doubles with each further one, up to `intervalMs`. */
  readonly firstRetryMs: number;
};

/** Maximum share by which an interval is shortened at random, so that many gateways do not query a provider at once. */
const jitterShare = 0.2;

export type ChannelRefresher = {
  readonly channel: OpenAiChannel;
  /** Refreshes now and then periodically. Cancels a refresh in progress. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when the refresh in progress ends, or at once if there is none. Never rejects. */
  currentRefresh(): Promise<void>;
  /** Stops the timer. The channel stays open. */
  stop(): void;
};

export function createChannelRefresher(
  channel: OpenAiChannel,
  policy: RefreshPolicy,
): ChannelRefresher {
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
    // The timer must not keep the process alive.
    timer.unref();
  }

  function refresh(): Promise<void> {
    latestRefresh = requestModels();
    return latestRefresh;
  }

  function stop(): void {
    clearTimeout(timer);
    activeRequest?.abort();
  }

  return { channel, refresh, currentRefresh: () => latestRefresh, stop };
}

// A channel in use, and the timer that asks it for its models again and again. See channels.ts for which channels
// are in use; the channel itself keeps the list, or why it could not be had.

import type { ChannelConfig } from "../../contract/channels.ts";
import type { OpenAiChannel } from "../openai/channel.ts";

/** When lists of models are asked for, in milliseconds. */
export type RefreshPolicy = {
  readonly everyMs: number;
  /** After a failure; doubles with each that follows, up to `everyMs`. */
  readonly afterFailureMs: number;
  /** How soon a change made by another process is noticed. */
  readonly watchMs: number;
};

/** Up to this share earlier, so that many gateways do not ask one provider at the same moment. */
const jitter = 0.2;

export type LiveChannel = {
  /** What the channel was made of. */
  readonly made: ChannelConfig;
  readonly channel: OpenAiChannel;
  /** Asks now, and from now on from time to time. A question under way is dropped for the new one. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves with the question under way; at once where there is none. Never rejects. */
  listing(): Promise<void>;
  /** Asks no more. The channel stays open. */
  stop(): void;
};

export type LiveChannelOptions = {
  made: ChannelConfig;
  channel: OpenAiChannel;
  policy: RefreshPolicy;
  /** The list came. */
  onListed(): void;
};

export function createLiveChannel({
  made,
  channel,
  policy,
  onListed,
}: LiveChannelOptions): LiveChannel {
  let question: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let latest = Promise.resolve();

  async function ask(): Promise<void> {
    stop();
    const own = new AbortController();
    question = own;
    const came = await channel.refresh(own.signal).then(
      () => true,
      () => false,
    );
    if (own.signal.aborted) return;
    failures = came ? 0 : failures + 1;
    const delayMs = came
      ? policy.everyMs
      : Math.min(policy.everyMs, policy.afterFailureMs * 2 ** (failures - 1));
    timer = setTimeout(() => void refresh(), delayMs * (1 - jitter * Math.random()));
    // It is no reason for the process to stay.
    timer.unref();
    if (came) onListed();
  }

  function refresh(): Promise<void> {
    latest = ask();
    return latest;
  }

  function stop(): void {
    clearTimeout(timer);
    question?.abort();
  }

  return { made, channel, refresh, listing: () => latest, stop };
}

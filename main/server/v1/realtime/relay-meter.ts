// Charges a key for the audio that is passed through to a provider: a request for each turn, or for each minute without
// one. A budget that is used up refuses the next.

import type { RealtimeUpstream } from "../../../channels/realtime-offer.ts";
import type { ChannelAttempt } from "../../../usage/request-cost.ts";
import type { Meter, Metering } from "../../../usage/metering.ts";

export type RelayMeter = {
  /** @throws AppError if it may not be sent */
  add(audioSec: number, bytes: number): Promise<void>;
  addSentBytes(count: number): void;
  /** What was added so far is a request of its own. */
  endRequest(error?: unknown): void;
};

const maxRequestSec = 60;

export function createRelayMeter(
  metering: Metering,
  {
    caller,
    model,
    upstream,
  }: { caller: string; model: string; upstream: RealtimeUpstream["attempt"] },
): RelayMeter {
  let current: { meter: Meter; attempt: ChannelAttempt; sec: number } | undefined;

  async function begin(): Promise<NonNullable<typeof current>> {
    const meter = metering.start(caller, "transcriptions");
    meter.setRequest({ model });
    const attempt: ChannelAttempt = { ...upstream, hasFailed: false, mediaSec: 0, processedSec: 0 };
    try {
      await meter.admit(attempt, undefined);
    } catch (error) {
      meter.fail(error, false);
      meter.end();
      throw error;
    }
    return { meter, attempt, sec: 0 };
  }

  function endRequest(error?: unknown): void {
    if (error !== undefined) current?.meter.fail(error, false);
    current?.meter.end();
    current = undefined;
  }

  return {
    async add(audioSec, bytes) {
      if (current !== undefined && current.sec >= maxRequestSec) endRequest();
      current ??= await begin();
      current.sec += audioSec;
      current.attempt.processedSec = current.sec;
      current.meter.setAudioSec(current.sec);
      current.meter.addReceivedBytes(bytes);
    },
    addSentBytes: (count) => current?.meter.addSentBytes(count),
    endRequest,
  };
}

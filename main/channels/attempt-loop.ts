// Sends a request to one offer after another until one starts to respond, and tells health and meter how each attempt
// went. See attempts.ts for which offer is next.

import { AppError } from "../contract/errors.ts";
import type { AttemptAdmission, Meter } from "../usage/metering.ts";
import type { ChannelAttempt } from "../usage/request-cost.ts";
import { createAttempts, type AttemptsDeps } from "./attempts.ts";
import type { Health } from "./health.ts";
import type { Offer } from "./registry.ts";

/** How to send a request to a channel. */
export type AttemptSender<Event> = {
  send(
    offer: Offer,
    channelAttempt: ChannelAttempt,
    admission: AttemptAdmission,
  ): AsyncIterable<Event>;
  /** Exact duration of the audio to transcribe. */
  measureSec?: (() => Promise<number>) | undefined;
};

/** Meaning of the events of a response. */
export type EventClassifier<Event> = {
  /** The event sends something to the client. */
  startsOutput(event: Event): boolean;
  /** The request succeeded, even if the iteration continues. */
  isFinal(event: Event): boolean;
};

type AttemptLoopOptions = AttemptsDeps & {
  meter: Meter;
  signal: AbortSignal;
  /** Called once, before the first output. */
  onServing?: ((channel: string) => void) | undefined;
};

/** Emits the events of the attempt that succeeds. @throws AppError if all failed, or one that had started */
export async function* serveWithFallback<Event>(
  offers: readonly Offer[],
  { send, measureSec }: AttemptSender<Event>,
  { startsOutput, isFinal }: EventClassifier<Event>,
  { meter, signal, onServing, ...attemptsDeps }: AttemptLoopOptions,
): AsyncGenerator<Event, void, undefined> {
  const attempts = createAttempts(offers, attemptsDeps);
  const penalizedHealths = new Set<Health>();
  for (;;) {
    const { offer, ticket } = await attempts.next(signal);
    const {
      channel,
      info,
      registered: { health, isPaid = false },
    } = offer;
    const channelAttempt: ChannelAttempt = {
      channel: channel.name,
      model: info.id,
      isPaid,
      hasFailed: false,
    };
    let admission: AttemptAdmission;
    try {
      admission = await meter.admit(channelAttempt, measureSec);
      signal.throwIfAborted();
    } catch (error) {
      // The channel was not tried, so this says nothing about it, and it costs nothing.
      ticket.markAbandoned();
      channelAttempt.hasFailed = true;
      if (!(error instanceof AppError)) throw error;
      attempts.recordFailure(offer, error);
      continue;
    }
    // This loop pauses while the consumer does not read, so an abort must release the ticket here.
    signal.addEventListener("abort", ticket.markAbandoned);
    let hasStarted = false;
    /** The consumer holds the latest event; an error now means that it left. */
    let isYielding = false;
    try {
      for await (const event of send(offer, channelAttempt, admission)) {
        if (!hasStarted && startsOutput(event)) {
          hasStarted = true;
          ticket.markStarted();
          onServing?.(channel.name);
        }
        if (isFinal(event)) ticket.markSucceeded();
        isYielding = true;
        yield event;
        isYielding = false;
      }
      ticket.markSucceeded();
      return;
    } catch (error) {
      if (isYielding || signal.aborted || !(error instanceof AppError)) throw error;
      // Failures of local engines never open the breaker. A request counts once, since the request itself may be the
      // cause.
      const isChannelFault = error.row.status >= 500 && !channel.isLocal;
      ticket.markFailed(
        error,
        isChannelFault && penalizedHealths.has(health) ? undefined : isChannelFault,
      );
      if (isChannelFault) penalizedHealths.add(health);
      if (hasStarted) throw error;
      channelAttempt.hasFailed = !(
        isPaid &&
        (error.mayBeCharged || (channelAttempt.processedSec ?? 0) > 0)
      );
      attempts.recordFailure(offer, error);
    } finally {
      signal.removeEventListener("abort", ticket.markAbandoned);
      ticket.markAbandoned();
    }
  }
}

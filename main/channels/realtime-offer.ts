// Opens a realtime session at the provider that has a model, if it is to be tried first.

import type { RealtimeConnection, RealtimeRequest } from "../contract/channel.ts";
import { AppError } from "../contract/errors.ts";
import type { Offer } from "./registry.ts";

export type RealtimeUpstream = {
  readonly connection: RealtimeConnection;
  /** For usage: its name there, and the channel. */
  readonly attempt: { channel: string; model: string; isPaid: boolean };
};

/** @returns undefined if the channel has none, or cannot be reached now: its requests go on to be tried */
export async function openRealtimeOffer(
  { channel, channelModel, info, registered: { health, isPaid = false } }: Offer,
  request: RealtimeRequest,
): Promise<RealtimeUpstream | undefined> {
  const ticket = channel.openRealtime && health.admit();
  if (ticket === undefined) return undefined;
  try {
    const connection = await channel.openRealtime?.(channelModel, request);
    if (connection === undefined) return undefined;
    ticket.markSucceeded();
    return { connection, attempt: { channel: channel.name, model: info.id, isPaid } };
  } catch (error) {
    if (error instanceof AppError) ticket.markFailed(error, error.row.status >= 500);
    return undefined;
  } finally {
    ticket.markAbandoned();
  }
}

// Request of a second start of Hearsay to the one that is already running on the same data folder, and its response.

import { z } from "zod";
import { AppError } from "../contract/errors.ts";
import type { SentMessage } from "../contract/messages/messages.ts";
import { messageReference } from "../contract/messages/sent-message.ts";

export const handoverRequest = z.object({
  /** Absolute paths. */
  paths: z.array(z.string().max(32_768)).max(10_000),
  wantsWindow: z.boolean(),
});
export type HandoverRequest = z.infer<typeof handoverRequest>;

const refusedFile = z.object({ path: z.string(), message: z.string(), ...messageReference });
/** A file that could not be imported, with the reason. */
export type RefusedFile = z.infer<typeof refusedFile>;

export const refusalReason = (error: unknown): SentMessage =>
  error instanceof AppError ? error.sent : { message: (error as Error).message };

export const handoverResponse = z.object({
  /** Address of the API; omitted while it is closed. */
  baseUrl: z.string().optional(),
  /** URL that opens the window in a browser; omitted if the app has shown its window itself, or has none. */
  launchUrl: z.string().optional(),
  refused: z.array(refusedFile),
});
export type HandoverResponse = z.infer<typeof handoverResponse>;

/**
 * Content of `running.json` in the data folder, readable by its owner only: where the running app accepts requests of
 * other starts.
 */
export const rendezvousSchema = z.object({ address: z.url(), secret: z.string().min(1) });
export type Rendezvous = z.infer<typeof rendezvousSchema>;

export const rendezvousName = "running.json";
/** Endpoint that proves knowledge of the secret without revealing it. */
export const identityPath = "/identity";
export const openPath = "/open";

// What one start of Hearsay asks of the one that is running already on the same data folder, and its answer.

import { z } from "zod";

export const handoverRequest = z.object({
  /** Absolute. */
  paths: z.array(z.string().max(32_768)).max(10_000),
  wantsWindow: z.boolean(),
});
export type HandoverRequest = z.infer<typeof handoverRequest>;

const refusedFile = z.object({ path: z.string(), message: z.string() });
/** A file that could not be taken, with the reason. */
export type RefusedFile = z.infer<typeof refusedFile>;

export const handoverResponse = z.object({
  /** Where the API listens; absent while it is closed. */
  baseUrl: z.string().optional(),
  /** Opens its window in a browser; absent where it has shown its window itself, or has none. */
  launchUrl: z.string().optional(),
  refused: z.array(refusedFile),
});
export type HandoverResponse = z.infer<typeof handoverResponse>;

/** `running.json` in the data folder, for its owner's eyes only: where the running app takes requests of other starts. */
export const rendezvousSchema = z.object({ address: z.url(), secret: z.string().min(1) });
export type Rendezvous = z.infer<typeof rendezvousSchema>;

export const rendezvousName = "running.json";
/** Proves knowledge of the secret without telling it. */
export const identityPath = "/identity";
export const openPath = "/open";

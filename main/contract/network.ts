// What leaves the machine: who asked for it, and the sums of a day that the window lists.

import { z } from "zod";

export const purposeKinds = ["channel", "model-download", "update"] as const;

/** Why a connection to another machine is opened; `name` is the channel's, empty for the others. */
export const purpose = z.object({ kind: z.enum(purposeKinds), name: z.string() });
export type Purpose = z.infer<typeof purpose>;

/** All requests of a day to one host for one purpose. */
export const departure = z.object({
  /** Local day: `2026-11-21`. */
  day: z.string(),
  /** With the port, unless it is the usual one. */
  host: z.string(),
  purpose,
  requests: z.int(),
  /** Requests with their headers. */
  sentBytes: z.int(),
  /** Contents of the answers. */
  receivedBytes: z.int(),
  lastAtMs: z.number(),
});
export type Departure = z.infer<typeof departure>;

/** Departures are deleted after so many days. */
export const departureDays = 90;

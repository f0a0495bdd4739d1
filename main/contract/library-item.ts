// Items of the library with the state of their job, and what a search finds in them.

import { z } from "zod";
import { messageReference } from "./messages/sent-message.ts";

/**
 * Recording, waiting, in progress, or how it ended. Work interrupted by a stop of the app continues at the next start.
 */
export const itemStates = [
  "recording",
  "waiting",
  "running",
  "done",
  "failed",
  "cancelled",
] as const;

/** A library item, and the state of its job. */
export const item = z.object({
  id: z.string(),
  kind: z.enum(["transcript", "narration"]),
  title: z.string(),
  /** Origin: an uploaded file, a recording made in the app, or a text. */
  source: z.enum(["file", "recording", "text"]),
  createdAtMs: z.number(),
  changedAtMs: z.number(),
  durationSec: z.number(),
  /** All files of the item. */
  sizeBytes: z.number(),
  state: z.enum(itemStates),
  /** 0 to 1. */
  progress: z.number(),
  /** Estimated from the pace so far. */
  leftSec: z.number().optional(),
  /** What happened and what the person can do, as a sentence. */
  error: z.string().optional(),
  errorReference: z.object(messageReference).optional(),
  /** Some ranges could not be transcribed. */
  isPartial: z.boolean(),
  language: z.string(),
  /** Names of the channels that received the audio or text; `local` is this machine. */
  channels: z.array(z.string()),
  tags: z.array(z.string()),
  /** It has audio that can be played. */
  hasMedia: z.boolean(),
});
export type Item = z.infer<typeof item>;

export const searchHit = z.object({
  itemId: z.string(),
  title: z.string(),
  segmentId: z.int().optional(),
  startSec: z.number(),
  /** Text around the hit; the hit itself is between \u0001 and \u0002. */
  snippet: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;

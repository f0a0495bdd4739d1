// Downloads of models, as the window and the command line see them.

import { z } from "zod";
import { messageReference } from "./messages/sent-message.ts";

const sentMessage = z.object({ message: z.string(), ...messageReference });

/** `done` and `cancelled` are sent once, as events: the download is in no list anymore. */
export const downloadState = z.enum(["running", "paused", "failed", "done", "cancelled"]);

export const modelDownload = z.object({
  /** Of the model. */
  id: z.string(),
  name: z.string(),
  state: downloadState,
  doneBytes: z.number(),
  totalBytes: z.number(),
  /** Over the last seconds; absent while nothing arrives. */
  bytesPerSec: z.number().optional(),
  remainingSec: z.number().optional(),
  /** What a running download waits for. */
  note: sentMessage.optional(),
  /** Why it failed, and what to do. */
  error: sentMessage.optional(),
});
export type ModelDownload = z.infer<typeof modelDownload>;

/** `owner/name` on the model hub. */
export const repositoryName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/)
  .refine((name) => !name.includes(".."));
/** A branch, tag or commit. */
export const revisionName = z
  .string()
  .regex(/^\w[\w./-]{0,99}$/)
  .refine((name) => !name.includes(".."));

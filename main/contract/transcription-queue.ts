// The queue of transcriptions, as the window shows and changes it.

import { z } from "zod";

export const transcriptionQueueState = z.object({
  /** Nothing is transcribed until the user resumes, also after a restart. */
  isPaused: z.boolean(),
  /** Items that wait, the next one first. */
  itemIds: z.array(z.string()),
});
export type TranscriptionQueueState = z.infer<typeof transcriptionQueueState>;

/** `itemIds`: these come first, in this order; ids of items that do not wait are ignored. */
export const transcriptionQueueChange = z.object({
  isPaused: z.boolean().optional(),
  itemIds: z.array(z.string()).max(100_000).optional(),
});
export type TranscriptionQueueChange = z.infer<typeof transcriptionQueueChange>;

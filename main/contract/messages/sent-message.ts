// The schema of a message's id and parameters, next to its English text in a response or a stored value.

import { z } from "zod";
import type { MessageParam } from "./messages.ts";

const param: z.ZodType<MessageParam> = z.lazy(() => z.union([z.string(), z.number(), sentMessage]));

/** Omitted if the text is from elsewhere. */
export const messageReference = {
  id: z.string().optional(),
  params: z.record(z.string(), param).optional(),
};

export const sentMessage = z.object({ message: z.string(), ...messageReference });

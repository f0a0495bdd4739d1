// What is wrong with a field, as the end of the sentence "'field' …". Zod's issues carry only text, so the messages
// that schemas give to zod are kept by this text.

import type { z } from "zod";
import { createMessage } from "./messages/messages.ts";
import type { MessageArguments, MessageId, SentMessage } from "./messages/messages.ts";

type FaultId = Extract<MessageId, `fault.${string}`>;

const faults = new Map<string, SentMessage>();

/** Text for a schema. Call it once per schema, not per request: the messages are kept. */
export function fieldFault<Id extends FaultId>(id: Id, ...params: MessageArguments<Id>): string {
  const fault = createMessage(id, ...params);
  faults.set(fault.message, fault);
  return fault.message;
}

/** Zod's own text if the schema gave none. */
export function faultOf(issue: z.core.$ZodIssue | undefined): SentMessage {
  if (issue === undefined) return createMessage("fault.unfit");
  return faults.get(issue.message) ?? { message: issue.message };
}

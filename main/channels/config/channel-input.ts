// Parses the input for a channel: its fields, its key, and an id derived from its name.

import { channelFields, localChannelName } from "../../contract/channels.ts";
import type { ChannelConfig, ChannelFields } from "../../contract/channels.ts";
import { AppError } from "../../contract/errors.ts";
import { faultOf } from "../../contract/field-fault.ts";

/** @throws AppError for the first invalid field */
export function parseChannel(input: unknown): ChannelFields {
  const parsed = channelFields.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join(".") ?? "";
  throw new AppError("field.faulty", { field: param, fault: faultOf(issue) }, { param });
}

/** undefined: no key given; null: remove it. provider-keys.ts validates it. */
export const parseKey = (key: string | null | undefined): string | null | undefined =>
  key === null ? null : key?.trim() || undefined;

/** An id for a name: `My Größe` → `my-grosse`, or `my-grosse-2` if that is taken. */
export function createUniqueId(name: string, existingChannels: readonly ChannelConfig[]): string {
  const plainName = name
    .toLowerCase()
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "");
  const slug = plainName.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "channel";
  const isFree = (id: string): boolean =>
    id !== localChannelName && !existingChannels.some((channel) => channel.id === id);
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? slug : `${slug}-${count}`;
    if (isFree(id)) return id;
  }
}

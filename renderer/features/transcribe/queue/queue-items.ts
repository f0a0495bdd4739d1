// Which transcripts the queue lists: those at work, those that wait in their order, then the most recent ones. Pure.

import type { Item } from "../../../../main/contract/library-item.ts";

export const maxRecent = 30;

/** @param openId is listed in any case */
export function queueItems(
  newestFirst: readonly Item[],
  waitingIds: readonly string[],
  openId: string | undefined,
): Item[] {
  const groups = Map.groupBy(newestFirst, ({ state }) =>
    state === "running" || state === "recording" ? "active" : state === "waiting" ? state : "ended",
  );
  const placeOf = new Map(waitingIds.map((id, index) => [id, index]));
  // One that was just added is not in the known order yet, and will be the last.
  const waiting = (groups.get("waiting") ?? [])
    .toReversed()
    .sort((a, b) => (placeOf.get(a.id) ?? Infinity) - (placeOf.get(b.id) ?? Infinity) || 0);
  const recent = (groups.get("ended") ?? []).filter(
    ({ id }, index) => index < maxRecent || id === openId,
  );
  return [...(groups.get("active") ?? []), ...waiting, ...recent];
}

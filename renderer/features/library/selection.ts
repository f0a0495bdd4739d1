// Which items are selected, by mouse and by keys, as in any list of files. Pure.

export type Selection = {
  readonly ids: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | undefined;
};

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** All from the anchor to `id`, in the order they are listed; without an anchor in sight `id` alone. */
export function extended(
  { ids, anchor }: Selection,
  listed: readonly string[],
  id: string,
): Selection {
  const [from, to] = [listed.indexOf(anchor ?? id), listed.indexOf(id)];
  if (from < 0) return { ids: new Set([...ids, id]), anchor: id };
  return {
    ids: new Set([...ids, ...listed.slice(Math.min(from, to), Math.max(from, to) + 1)]),
    anchor,
  };
}

/** Of those that are listed still: nothing is done to what is out of sight. */
export function within(selection: Selection, listed: ReadonlySet<string>): Selection {
  const ids = new Set([...selection.ids].filter((id) => listed.has(id)));
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor };
}

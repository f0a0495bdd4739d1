// Selection of items by mouse and keyboard, as in a file manager. Pure.

export type Selection = {
  readonly ids: ReadonlySet<string>;
  /** Where a range starts. */
  readonly anchor: string | undefined;
};

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

export function toggleSelected({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Selects from the anchor to `id` in the listed order; only `id` if the anchor is not listed. */
export function extendSelection(
  { ids, anchor }: Selection,
  listedIds: readonly string[],
  id: string,
): Selection {
  const [from, to] = [listedIds.indexOf(anchor ?? id), listedIds.indexOf(id)];
  if (from < 0) return { ids: new Set([...ids, id]), anchor: id };
  return {
    ids: new Set([...ids, ...listedIds.slice(Math.min(from, to), Math.max(from, to) + 1)]),
    anchor,
  };
}

/** Drops items that are not listed any more, so that no action affects an item the user does not see. */
export function keepListed(selection: Selection, listedIds: ReadonlySet<string>): Selection {
  const ids = new Set([...selection.ids].filter((id) => listedIds.has(id)));
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor };
}

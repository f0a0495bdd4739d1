// Groups actions by heading: the open page's first, the others in the order of registration.

import type { Action } from "../stores/actions.ts";

export function groupActions(
  actions: readonly Action[],
  pageGroup: string,
): readonly (readonly [group: string, actions: readonly Action[]])[] {
  const groups = new Map<string, Action[]>([[pageGroup, []]]);
  for (const action of actions) {
    const group = action.group ?? pageGroup;
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  return [...groups].filter(([, entries]) => entries.length > 0);
}

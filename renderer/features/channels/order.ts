// The order in which channels are asked, as priorities: lower is asked first, equal ones share the work. Pure.

type Ordered = { readonly id: string; readonly priority: number };

const highest = 1000;

/** As they are asked; those on a level in the order they were added. */
export const inOrder = <Channel extends Ordered>(channels: readonly Channel[]): Channel[] =>
  channels.toSorted((a, b) => a.priority - b.priority);

/** Each channel's place, counted from 1; those that share the work share the place. */
export function ranksOf(channels: readonly Ordered[]): ReadonlyMap<string, number> {
  const levels = [...new Set(inOrder(channels).map(({ priority }) => priority))];
  return new Map(channels.map(({ id, priority }) => [id, levels.indexOf(priority) + 1]));
}

/**
 * The priorities that put one channel at another place of the list, on a level of its own. Others stay together as
 * they were, but for those it now stands between. Only priorities that change are told; empty: nothing to do.
 */
export function moved(
  channels: readonly Ordered[],
  id: string,
  to: number,
): ReadonlyMap<string, number> {
  const before = inOrder(channels);
  const from = before.findIndex((channel) => channel.id === id);
  const channel = before[from];
  if (channel === undefined || from === to || to < 0 || to >= before.length) return new Map();
  const after = before.toSpliced(from, 1).toSpliced(to, 0, channel);
  const steps = (spacing: number): Map<string, number> => {
    let level = -1;
    let previous: Ordered | undefined;
    return new Map(
      after.map((each) => {
        const shares =
          previous !== undefined &&
          previous.priority === each.priority &&
          each !== channel &&
          previous !== channel;
        if (!shares)
          level =
            spacing > 0
              ? level + (level < 0 ? spacing + 1 : spacing)
              : Math.max(level + 1, each === channel ? 0 : each.priority);
        previous = each;
        return [each.id, level];
      }),
    );
  };
  let priorities = steps(0);
  // Pushed past the end: laid out anew, evenly.
  if (Math.max(...priorities.values()) > highest)
    priorities = steps(Math.max(1, Math.floor(highest / (after.length + 1))));
  return new Map(
    before
      .filter((each) => priorities.get(each.id) !== each.priority)
      .map((each) => [each.id, priorities.get(each.id) ?? each.priority]),
  );
}

/** The priority that puts a channel on a level with the one before it; undefined: there is none, or they share already. */
export function priorityToShare(channels: readonly Ordered[], id: string): number | undefined {
  const list = inOrder(channels);
  const at = list.findIndex((channel) => channel.id === id);
  const above = list[at - 1];
  return above === undefined || above.priority === list[at]?.priority ? undefined : above.priority;
}

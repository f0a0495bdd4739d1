// The order in which channels are asked, as priorities: lower is asked first, equal ones share the work. Pure.

type Prioritized = { readonly id: string; readonly priority: number };

const maxPriority = 1000;

/** As they are asked; those on a level in the order they were added. */
export const sortByPriority = <Channel extends Prioritized>(
  channels: readonly Channel[],
): Channel[] => channels.toSorted((a, b) => a.priority - b.priority);

/** Each channel's place, counted from 1; those that share the work share the place. */
export function ranksOf(channels: readonly Prioritized[]): ReadonlyMap<string, number> {
  const levels = [...new Set(sortByPriority(channels).map(({ priority }) => priority))];
  return new Map(channels.map(({ id, priority }) => [id, levels.indexOf(priority) + 1]));
}

/**
 * The priorities that put one channel at another place of the list, on a level of its own. Others stay together as
 * they were, but for those it now stands between. Only priorities that change are told; empty: nothing to do.
 */
export function prioritiesAfterMove(
  channels: readonly Prioritized[],
  id: string,
  to: number,
): ReadonlyMap<string, number> {
  const before = sortByPriority(channels);
  const from = before.findIndex((channel) => channel.id === id);
  const channel = before[from];
  if (channel === undefined || from === to || to < 0 || to >= before.length) return new Map();
  const after = before.toSpliced(from, 1).toSpliced(to, 0, channel);
  const assignPriorities = (spacing: number): Map<string, number> => {
    let level = -1;
    let previous: Prioritized | undefined;
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
  let priorities = assignPriorities(0);
  // Pushed past the end: laid out anew, evenly.
  if (Math.max(...priorities.values()) > maxPriority)
    priorities = assignPriorities(Math.max(1, Math.floor(maxPriority / (after.length + 1))));
  return new Map(
    before
      .filter((each) => priorities.get(each.id) !== each.priority)
      .map((each) => [each.id, priorities.get(each.id) ?? each.priority]),
  );
}

/** The priority that puts a channel on a level with the one before it; undefined: there is none, or they share already. */
export function priorityToShare(channels: readonly Prioritized[], id: string): number | undefined {
  const list = sortByPriority(channels);
  const index = list.findIndex((channel) => channel.id === id);
  const above = list[index - 1];
  return above === undefined || above.priority === list[index]?.priority
    ? undefined
    : above.priority;
}

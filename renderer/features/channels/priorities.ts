// Order of channels as priorities: the lowest is tried first, equal ones share the load. Pure.

type Prioritized = { readonly id: string; readonly priority: number };

const maxPriority = 1000;

/** In the order in which they are tried; equal ones in the order in which they were added. */
export const sortByPriority = <Channel extends Prioritized>(
  channels: readonly Channel[],
): Channel[] => channels.toSorted((a, b) => a.priority - b.priority);

/** Rank of each channel, from 1; channels with equal priority have equal rank. */
export function ranksOf(channels: readonly Prioritized[]): ReadonlyMap<string, number> {
  const levels = [...new Set(sortByPriority(channels).map(({ priority }) => priority))];
  return new Map(channels.map(({ id, priority }) => [id, levels.indexOf(priority) + 1]));
}

/**
 * Priorities that move one channel to another position, with a priority of its own. Channels that shared a priority
 * still do, unless the moved one is now between them. Returns only changed priorities; empty if nothing changes.
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
  // Above the maximum: spread all priorities evenly.
  if (Math.max(...priorities.values()) > maxPriority)
    priorities = assignPriorities(Math.max(1, Math.floor(maxPriority / (after.length + 1))));
  return new Map(
    before
      .filter((each) => priorities.get(each.id) !== each.priority)
      .map((each) => [each.id, priorities.get(each.id) ?? each.priority]),
  );
}

/**
 * Priority that makes a channel share the load with the one before it; undefined if there is none or they share
 * already.
 */
export function priorityToShare(channels: readonly Prioritized[], id: string): number | undefined {
  const list = sortByPriority(channels);
  const index = list.findIndex((channel) => channel.id === id);
  const above = list[index - 1];
  return above === undefined || above.priority === list[index]?.priority
    ? undefined
    : above.priority;
}

// Arrow keys from entry to entry of a list, in the order they are seen in: only those in sight need to exist.

import type { KeyboardEvent } from 'react';

/** To the entry before or after the one that has the focus; both are selectors. */
export function stepByArrows(event: KeyboardEvent<HTMLElement>, list: string, entry: string): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const entries = [...(event.currentTarget.closest(list)?.querySelectorAll<HTMLElement>(entry) ?? [])].toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top);
  const next = entries[entries.indexOf(event.currentTarget) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

// The items themselves: only the rows in sight exist; arrow keys go through all of them.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { Item } from '../../../main/contract/studio.ts';
import { t } from '../../messages/messages.ts';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { ItemRow, type ItemDoes } from './item-row.tsx';

const rowHeightPx = 45;

type ItemListProps = { items: readonly Item[]; isRemoved: boolean; selected: ReadonlySet<string>; does: Omit<ItemDoes, 'step'> };

export function ItemList({ items, isRemoved, selected, does }: ItemListProps) {
  const [current, setCurrent] = useState<{ id: string; isStepped: boolean }>();
  const list = useRef<VirtualListHandle>(null);
  const latest = useRef({ items, selected, does });
  useEffect(() => {
    latest.current = { items, selected, does };
  });
  // The same for as long as the list lives, so that rows that did not change are not drawn again.
  const steady = useMemo<ItemDoes>(
    () => ({
      rename: (item, title) => latest.current.does.rename(item, title),
      retag: (item, tags) => latest.current.does.retag(item, tags),
      remove(item) {
        const at = latest.current.items.findIndex(({ id }) => id === item.id);
        const next = latest.current.items[at + 1] ?? latest.current.items[at - 1];
        setCurrent(next && { id: next.id, isStepped: true });
        latest.current.does.remove(item);
      },
      restore: (item) => latest.current.does.restore(item),
      filter: (tag) => latest.current.does.filter(tag),
      select: (item, isRange) => latest.current.does.select(item, isRange),
      step(from, by, isExtending) {
        const next = latest.current.items[latest.current.items.findIndex(({ id }) => id === from.id) + by];
        if (next === undefined) return;
        setCurrent({ id: next.id, isStepped: true });
        if (!isExtending) return;
        if (latest.current.selected.size === 0) latest.current.does.select(from, false);
        latest.current.does.select(next, true);
      },
    }),
    [],
  );
  useEffect(() => {
    if (current?.isStepped !== true) return undefined;
    list.current?.scrollTo(latest.current.items.findIndex(({ id }) => id === current.id));
    const frame = requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-item="${CSS.escape(current.id)}"]`)?.focus());
    return () => cancelAnimationFrame(frame);
  }, [current]);
  const currentId = items.some(({ id }) => id === current?.id) ? current?.id : items[0]?.id;
  return (
    <VirtualList
      label={t('library.list')}
      count={items.length}
      rowHeight={rowHeightPx}
      handle={list}
      keyOf={(index) => items[index]?.id ?? index}
      row={(index) => {
        const item = items[index];
        return item && <ItemRow item={item} isCurrent={item.id === currentId} isRemoved={isRemoved} isSelected={selected.has(item.id)} does={steady} />;
      }}
    />
  );
}

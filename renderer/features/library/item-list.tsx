// The items themselves: only the rows in sight exist; arrow keys go through all of them.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { Item } from '../../../main/contract/studio.ts';
import { t } from '../../messages/messages.ts';
import { Registered } from '../../stores/actions.ts';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { ItemRow, type ItemDoes } from './item-row.tsx';

const rowHeightPx = 45;

type ItemListProps = { items: readonly Item[]; isRemoved: boolean; selected: ReadonlySet<string>; does: Omit<ItemDoes, 'step' | 'reach' | 'edit'> };

export function ItemList({ items, isRemoved, selected, does }: ItemListProps) {
  const [current, setCurrent] = useState<{ id: string; isStepped: boolean }>();
  const [editing, setEditing] = useState<{ id: string; what: 'title' | 'tags' }>();
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
      reach: ({ id }) => setCurrent((now) => (now?.id === id ? now : { id, isStepped: false })),
      edit: ({ id }, what) => setEditing(what && { id, what }),
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
  const reached = items.find(({ id }) => id === current?.id) ?? items[0];
  const named = (verb: string): string => t('shell.choice', { name: verb, value: reached?.title ?? '' });
  const edit = (what: 'title' | 'tags'): void => {
    if (reached === undefined) return;
    list.current?.scrollTo(items.indexOf(reached));
    setEditing({ id: reached.id, what });
  };
  const commands = [
    { id: 'library.rename', title: named(t('library.rename')), run: () => edit('title') },
    { id: 'library.tag', title: named(t('library.tags')), run: () => edit('tags') },
    { id: 'library.remove', title: named(t('library.remove')), disabledReason: reached?.state === 'recording' ? t('library.remove.recording') : undefined, run: () => reached && steady.remove(reached) },
  ];
  return (
    <>
      {!isRemoved && commands.map((command) => <Registered key={command.id} {...command} />)}
      <VirtualList
        label={t('library.list')}
        count={items.length}
        rowHeight={rowHeightPx}
        handle={list}
        keyOf={(index) => items[index]?.id ?? index}
        row={(index) => {
          const item = items[index];
          return item && <ItemRow item={item} isCurrent={item === reached} editing={editing?.id === item.id ? editing.what : undefined} isRemoved={isRemoved} isSelected={selected.has(item.id)} does={steady} />;
        }}
      />
    </>
  );
}

// The items themselves: only the rows in sight exist; arrow keys go through all of them, with Shift they select.

import { useEffect, useMemo, useRef, useState } from "react";
import type { Item } from "../../../main/contract/studio.ts";
import { t } from "../../messages/messages.ts";
import { Registered } from "../../stores/actions.ts";
import { VirtualList, type VirtualListHandle } from "../../ui/virtual-list.tsx";
import { ItemRow, type ItemDoes } from "./item-row.tsx";

const rowHeightPx = 45;

type ItemListProps = {
  items: readonly Item[];
  isRemoved: boolean;
  selected: ReadonlySet<string>;
  does: Omit<ItemDoes, "edit">;
};

export function ItemList({ items, isRemoved, selected, does }: ItemListProps) {
  const [reachedId, setReachedId] = useState<string>();
  const [editing, setEditing] = useState<{ id: string; what: "title" | "tags" }>();
  const list = useRef<VirtualListHandle>(null);
  const latest = useRef(does);
  useEffect(() => {
    latest.current = does;
  });
  // The same for as long as the list lives, so that rows that did not change are not drawn again.
  const steady = useMemo<ItemDoes>(
    () => ({
      rename: (item, title) => latest.current.rename(item, title),
      retag: (item, tags) => latest.current.retag(item, tags),
      remove: (item) => latest.current.remove(item),
      restore: (item) => latest.current.restore(item),
      filter: (tag) => latest.current.filter(tag),
      select: (item, isRange) => latest.current.select(item, isRange),
      edit: ({ id }, what) => setEditing(what && { id, what }),
    }),
    [],
  );
  const reached = items.find(({ id }) => id === reachedId) ?? items[0];
  const named = (verb: string): string =>
    t("shell.choice", { name: verb, value: reached?.title ?? "" });
  const edit = (what: "title" | "tags"): void => {
    if (reached === undefined) return;
    list.current?.scrollTo(items.indexOf(reached));
    setEditing({ id: reached.id, what });
  };
  const commands = [
    { id: "library.rename", title: named(t("library.rename")), run: () => edit("title") },
    { id: "library.tag", title: named(t("library.tags")), run: () => edit("tags") },
    {
      id: "library.remove",
      title: named(t("library.remove")),
      disabledReason: reached?.state === "recording" ? t("library.remove.recording") : undefined,
      run: () => reached && steady.remove(reached),
    },
  ];
  return (
    <>
      {!isRemoved && commands.map((command) => <Registered key={command.id} {...command} />)}
      <VirtualList
        label={t("library.list")}
        count={items.length}
        rowHeight={rowHeightPx}
        handle={list}
        keyOf={(index) => items[index]?.id ?? index}
        onReach={(index) => setReachedId(items[index]?.id)}
        onStep={(at, to, isExtending) => {
          const [from, next] = [items[at], items[to]];
          if (!isExtending || from === undefined || next === undefined) return;
          if (selected.size === 0) does.select(from, false);
          does.select(next, true);
        }}
        row={(index) => {
          const item = items[index];
          return (
            item && (
              <ItemRow
                item={item}
                editing={editing?.id === item.id ? editing.what : undefined}
                isRemoved={isRemoved}
                isSelected={selected.has(item.id)}
                does={steady}
              />
            )
          );
        }}
      />
    </>
  );
}

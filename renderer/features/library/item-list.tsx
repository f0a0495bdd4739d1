// The list of items, virtualized; arrow keys move, with Shift they select.

import { useEffect, useMemo, useRef, useState } from "react";
import type { Item } from "../../../main/contract/library-item.ts";
import { formatDay } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { RegisterAction } from "../../stores/actions.ts";
import { VirtualList, type VirtualListHandle } from "../../ui/virtual-list.tsx";
import { beginsDay } from "./filter-items.ts";
import { ItemRow, type ItemActions } from "./item-row.tsx";

/** As in library.css: if measured rows differ, the places of all rows are computed anew while scrolling. */
const rowHeightPx = (): number => (matchMedia("(width <= 40rem)").matches ? 62 : 44);

type ItemListProps = {
  items: readonly Item[];
  isRemoved: boolean;
  /** The list is in the order of days, and each has a heading. */
  isByDay: boolean;
  selected: ReadonlySet<string>;
  actions: Omit<ItemActions, "edit">;
};

export function ItemList({ items, isRemoved, isByDay, selected, actions }: ItemListProps) {
  const [focusedId, setFocusedId] = useState<string>();
  const [editing, setEditing] = useState<{ id: string; field: "title" | "tags" }>();
  const list = useRef<VirtualListHandle>(null);
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  // Stable for the life of the list, so that unchanged rows do not render again.
  const stableActions = useMemo<ItemActions>(
    () => ({
      rename: (item, title) => latest.current.rename(item, title),
      changeTags: (item, tags) => latest.current.changeTags(item, tags),
      remove: (item) => latest.current.remove(item),
      restore: (item) => latest.current.restore(item),
      deletePermanently: (item) => latest.current.deletePermanently(item),
      filter: (tag) => latest.current.filter(tag),
      select: (item, isRange) => latest.current.select(item, isRange),
      edit: ({ id }, field) => setEditing(field && { id, field }),
    }),
    [],
  );
  const focusedItem = items.find(({ id }) => id === focusedId) ?? items[0];
  const withTitle = (verb: string): string =>
    t("frame.choice", { name: verb, value: focusedItem?.title ?? "" });
  const edit = (field: "title" | "tags"): void => {
    if (focusedItem === undefined) return;
    list.current?.scrollTo(items.indexOf(focusedItem));
    setEditing({ id: focusedItem.id, field });
  };
  const commands = [
    { id: "library.rename", title: withTitle(t("library.rename")), run: () => edit("title") },
    { id: "library.tag", title: withTitle(t("library.tags")), run: () => edit("tags") },
    {
      id: "library.remove",
      title: withTitle(t("library.remove")),
      disabledReason:
        focusedItem?.state === "recording" ? t("library.remove.recording") : undefined,
      run: () => focusedItem && stableActions.remove(focusedItem),
    },
  ];
  return (
    <>
      {!isRemoved && commands.map((command) => <RegisterAction key={command.id} {...command} />)}
      <VirtualList
        label={t("library.list")}
        count={items.length}
        rowHeight={rowHeightPx()}
        handle={list}
        keyOf={(index) => items[index]?.id ?? index}
        onRowFocus={(index) => setFocusedId(items[index]?.id)}
        onRowMove={(at, to, isExtending) => {
          const [from, next] = [items[at], items[to]];
          if (!isExtending || from === undefined || next === undefined) return;
          if (selected.size === 0) actions.select(from, false);
          actions.select(next, true);
        }}
        row={(index) => {
          const item = items[index];
          return (
            item && (
              <>
                {isByDay && beginsDay(items, index) && (
                  <h2 className="library-day">{formatDay(item.createdAtMs)}</h2>
                )}
                <ItemRow
                  item={item}
                  editing={editing?.id === item.id ? editing.field : undefined}
                  isRemoved={isRemoved}
                  isSelected={selected.has(item.id)}
                  isByDay={isByDay}
                  actions={stableActions}
                />
              </>
            )
          );
        }}
      />
    </>
  );
}
